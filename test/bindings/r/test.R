# The R package: results that only exact sums give, R's own for what is simple, NA, refusals. Reports in TAP.
x <- c(1e16, 1, -1e16, 1, 2^-60)
set.seed(1)
m <- matrix(sample(-99:99, 60, TRUE), 12, dimnames = list(NULL, letters[1:5]))
refused <- function(call) inherits(try(call, TRUE), "try-error")
checks <- list(
    sums = exblas::sum(x) == 2 && exblas::sum(1L, TRUE, 2.5) == 4.5 && exblas::sum(1e308, 1e308) == Inf,
    ties = exblas::sum(1, 2^-53, 2^-80) == 1 + 2^-52 && exblas::sum(1, 2^-53) == 1,
    means = exblas::mean(c(1e16, 1, -1e16)) == 1 / 3 && is.nan(exblas::mean(double())),
    variances = exblas::var(m[, 1]) == stats::var(m[, 1]) && exblas::var(c(1e200, -1e200) * 1e-100) == 2e200 && is.na(exblas::var(1)),
    dots = exblas::dot(c(1e10, 1, -1e10), c(1e10, 1, 1e10)) == 1 && exblas::dot(1:3, 1:3) == 14,
    products = identical(exblas::crossprod(m), base::crossprod(m)) && identical(exblas::crossprod(m, m[, 1]), base::crossprod(m, m[, 1])),
    empty = exblas::sum() == 0 && identical(dim(exblas::crossprod(matrix(0, 0, 2))), c(2L, 2L)) && all(exblas::crossprod(matrix(0, 0, 2)) == 0),
    missing = identical(exblas::sum(1, NA), NA_real_) && identical(exblas::sum(1, NaN), NaN) && exblas::sum(1, NA, NaN, na.rm = TRUE) == 1,
    refusals = refused(exblas::sum("a")) && refused(exblas::dot(1, 1:2)) && refused(exblas::crossprod(m, 1)))
for (i in seq_along(checks)) cat(if (isTRUE(checks[[i]])) "ok" else "not ok", i, "-", names(checks)[i], "\n")
cat("1..", length(checks), "\n", sep = "")
