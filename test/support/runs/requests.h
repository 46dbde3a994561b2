/* Requests for memory and threads of a program that is linked with `requests` (test/meson.build):
 * counted, and refused at will. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* From here on request number `first` is refused, counted from 0, -1: none; and with `and_later`
 * those after it. */
void requests_begin(int first, bool and_later);
/* The end of that: how many there were. */
int requests_end(void);

/* Since then: threads asked for, and the most bytes at once. And pieces of memory that are held. */
extern atomic_int requests_of_threads, requests_held;
extern _Atomic size_t requests_largest;
