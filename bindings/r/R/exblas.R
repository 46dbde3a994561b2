# What of x is added: doubles, or integers, which are doubles; NA before NaN, as R's own sums have it mostly.
values <- function(x, na.rm = FALSE) {
    if (!is.numeric(x) && !is.logical(x) && !is.null(x)) stop("numbers are needed, not ", class(x)[1])
    x <- as.double(x)
    if (na.rm) x[!is.na(x)] else x
}

result <- function(r, ...) if (is.nan(r) && any(vapply(list(...), function(x) any(is.na(x) & !is.nan(x)), NA))) NA_real_ else r

sum <- function(..., na.rm = FALSE) {
    x <- values(c(...), na.rm)
    result(.Call(C_sum, x), x)
}

mean <- function(x, na.rm = FALSE) {
    x <- values(x, na.rm)
    result(.Call(C_mean, x), x)
}

var <- function(x, na.rm = FALSE) {
    x <- values(x, na.rm)
    if (length(x) < 2) NA_real_ else result(.Call(C_var, x), x)
}

dot <- function(x, y) {
    x <- values(x)
    y <- values(y)
    if (length(x) != length(y)) stop("x has ", length(x), " elements, y ", length(y))
    result(.Call(C_dot, x, y), x, y)
}

crossprod <- function(x, y = x) {
    x <- as.matrix(x)
    y <- as.matrix(y)
    if (nrow(x) != nrow(y)) stop("x has ", nrow(x), " rows, y ", nrow(y))
    names <- list(colnames(x), colnames(y))
    values(x)
    values(y)
    storage.mode(x) <- storage.mode(y) <- "double"
    product <- .Call(C_crossprod, x, y)
    if (!is.null(names[[1]]) || !is.null(names[[2]])) dimnames(product) <- names
    product
}
