# Prints the bits of BLAS and LAPACK results of R.
set.seed(1)
a <- matrix(rnorm(120 * 80), 120)
options(matprod = "blas")
f <- function(x) paste(sprintf("%a", as.vector(x)), collapse = "")
text <- paste(f(a %*% t(a)), f(crossprod(a)), f(a %*% a[1, ]), f(solve(crossprod(a))), f(svd(a)$d), f(chol(crossprod(a))))
file <- tempfile()
cat(text, file = file)
cat(R.version.string, substr(tools::md5sum(file), 1, 16), "\n")
