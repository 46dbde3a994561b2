/* A cell beside the oracle's exact sum. The wide part is given when it is asked for. */
#pragma once

#include "oracle.h"
#include "testing.h"

#include <exblas/cell.h>

typedef struct {
    exblas_cell_wide room;
    exblas_cell cell;
} roomy_cell;

static inline void roomy_clear(roomy_cell *c)
{
    c->cell = (exblas_cell){.n_or_wide = 0};
}

/* Repeats a call that answers ENOMEM, once, with the room; it must then be enough. */
#define with_room(c, call)                                                                         \
    do {                                                                                           \
        exblas_status status_ = (call);                                                            \
        if (status_ == EXBLAS_ENOMEM) {                                                            \
            assert_null(exblas_cell_wide_part(&(c)->cell));                                        \
            exblas_cell_widen(&(c)->cell, &(c)->room);                                             \
            status_ = (call);                                                                      \
        }                                                                                          \
        assert_int_equal(status_, EXBLAS_OK);                                                      \
    } while (0)

static inline void roomy_add(roomy_cell *c, double x)
{
    with_room(c, exblas_cell_add(&c->cell, x));
}

static inline void roomy_add_product(roomy_cell *c, double x, double y)
{
    with_room(c, exblas_cell_add_product(&c->cell, x, y));
}
