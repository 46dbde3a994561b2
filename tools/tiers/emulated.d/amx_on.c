/* A kernel module for the tiles of Bochs: the kernel is told that there are none (it would stop on
 * what Bochs lacks of them), and this allows programs to use them all the same. */
#include <linux/module.h>

enum { XCR0, TILES = 3 << 17 /* their configuration and their data */ };

static int __init amx_on(void)
{
    u32 low, high;
    asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(XCR0));
    asm volatile("xsetbv" : : "a"(low | TILES), "d"(high), "c"(XCR0));
    return 0;
}

module_init(amx_on);
MODULE_LICENSE("GPL");
