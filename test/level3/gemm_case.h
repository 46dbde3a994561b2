/* Calls of gemm of all four types on data that is hard for one or another engine. */
#pragma once

#include "fuzz/differential/compare.h"
#include "fuzz/differential/expect.h"

size_t gemm_kinds(void);
size_t gemm_kind(const char *name);
const char *gemm_kind_name(size_t kind);

/* A random layout, transposes, leading dimensions and scalars. To be freed. */
fuzz_case gemm_random(test_random *r, char type, size_t kind, int64_t m, int64_t n, int64_t k);

/* C = op(A) op(B), of which the bits of `way` say: by rows, A transposed, B conjugated. */
fuzz_case gemm_plain(test_random *r, char type, size_t kind, int way, int64_t m, int64_t n,
                     int64_t k);
