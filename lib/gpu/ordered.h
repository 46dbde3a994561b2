/* What scatter-add in a fixed order computes, for kernels and the host.
 *
 * The terms are taken in blocks of EXB_ORDERED_BLOCK, one after another. Of each block every bin
 * gets the sum of its terms there, T(x_0 .. x_(m-1)) in order of their numbers,
 *
 *   T(one term) = that term,   T(m terms) = fl(T(the first h) + T(the rest)),
 *
 * h the largest power of two below m; then y_i = fl(y_i + T), block by block. fl rounds to the type
 * of y; a NaN in y becomes the canonical one. So the bits are a matter of n, x, index and y alone.
 */
#ifndef EXB_GPU_ORDERED_H
#define EXB_GPU_ORDERED_H

enum { EXB_ORDERED_BLOCK_BITS = 8, EXB_ORDERED_BLOCK = 1 << EXB_ORDERED_BLOCK_BITS };

/* Two counters in device memory: the next block to be taken, the block whose turn it is. */
enum { EXB_ORDERED_NEXT, EXB_ORDERED_TURN, EXB_ORDERED_TURNS };

#endif
