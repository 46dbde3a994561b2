/* The tests of mpi_blocks_tmpl.c, for each type. */
#pragma once

#define EACH_BLOCK_TEST(type)                                                                      \
    void type##_reductions(void);                                                                  \
    void type##_gemv(void);                                                                        \
    void type##_gemm(void);                                                                        \
    void type##_trsv(void);
EACH_BLOCK_TEST(s)
EACH_BLOCK_TEST(d)
EACH_BLOCK_TEST(c)
EACH_BLOCK_TEST(z)
