/* Calls of each distributed routine and the bytes that this process sends in them, for the report
 * of exblas-run --report. */
#pragma once

#include <stddef.h>

/* A call begins: what is sent from now on is its. The name is kept by reference. */
void exb_traffic_begin(const char *routine);
void exb_traffic_sent(size_t bytes);
