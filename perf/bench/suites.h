/* The experiments of `exblas bench`. */
#pragma once

#include "table.h"

bool suite_prices(const bench_options *o, bench_table *t);
bool suite_size(const bench_options *o, bench_table *t);
bool suite_range(const bench_options *o, bench_table *t);
bool suite_dot(const bench_options *o, bench_table *t);
bool suite_level1(const bench_options *o, bench_table *t);
bool suite_level2(const bench_options *o, bench_table *t);
bool suite_level3(const bench_options *o, bench_table *t);
bool suite_solve(const bench_options *o, bench_table *t);
bool suite_gemm(const bench_options *o, bench_table *t);
bool suite_accuracy_sum(const bench_options *o, bench_table *t);
bool suite_accuracy_dot(const bench_options *o, bench_table *t);
bool suite_atomics(const bench_options *o, bench_table *t);
bool suite_sparse(const bench_options *o, bench_table *t);
