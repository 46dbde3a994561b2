# A side of `exblas bench r`: says which programs it has; then lines `NAME N` come in, the seconds of a call go out.
programs <- function(n) {
    set.seed(1)
    a <- matrix(rnorm(n * n), n)
    b <- rnorm(n)
    t <- matrix(rnorm(4 * n * (n %/% 2)), 4 * n)
    y <- rnorm(4 * n)
    symmetric <- (a + t(a)) / 2
    positive <- crossprod(a) / n + diag(n)
    list(inv = function() solve(a), solve = function() solve(a, b), det = function() det(a),
         chol = function() chol(positive), qr = function() qr(a), "qr(LAPACK)" = function() qr(a, LAPACK = TRUE),
         svd = function() svd(a), "eigen(symmetric)" = function() eigen(symmetric), eigen = function() eigen(a),
         "A%*%B" = function() a %*% symmetric, crossprod = function() crossprod(t), lm = function() lm.fit(t, y),
         prcomp = function() prcomp(t), cor = function() cor(t))
}

# Processor time of `count` calls. R tells milliseconds.
time_of <- function(call, count) {
    begin <- proc.time()
    for (i in seq_len(count)) call()
    sum((proc.time() - begin)[1:2])
}

# Of one call, of as many as fill a tenth of a second.
seconds_of <- function(call) {
    count <- 1
    while ((spent <- time_of(call, count)) < 0.1)
        count <- if (spent < 0.01) 10 * count else ceiling(0.125 / spent * count)
    spent / count
}

cat(names(programs(4)), "\n")
flush(stdout())
known <- list()
input <- file("stdin", "r")
while (length(line <- readLines(input, 1)) > 0) {
    words <- strsplit(line, " ")[[1]]
    if (is.null(known[[words[2]]]))
        known[[words[2]]] <- programs(as.integer(words[2]))
    cat(format(seconds_of(known[[words[2]]][[words[1]]]), digits = 15), "\n", sep = "")
    flush(stdout())
}
