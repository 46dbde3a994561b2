/* Prints `routine hash` lines: from the plain call with every instruction set of this
 * processor, or with --all from every mode of the pairwise covering. A routine that has
 * two hashes is named and makes the exit status 1. */
#include "golden.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* The hashes of all routines in n_modes modes; the number of differences. */
static int print_hashes(const call_mode *modes, size_t n_modes)
{
    int failures = 0;
    for (int i = 0; i < golden_count(); i++) {
        uint64_t first = golden_hash(i, &modes[0]);
        for (size_t j = 1; j < n_modes; j++)
            if (golden_hash(i, &modes[j]) != first) {
                char text[200];
                mode_text(&modes[j], text);
                fprintf(stderr, "%s differs: %s\n", golden_name(i), text);
                failures++;
            }
        printf("%s %016" PRIx64 "\n", golden_name(i), first);
    }
    return failures;
}

int main(int argc, char **argv)
{
    bool all = argc == 2 && strcmp(argv[1], "--all") == 0;
    if (argc != 1 && !all) {
        fprintf(stderr, "usage: golden [--all]\n");
        return 2;
    }
    const call_mode *modes;
    size_t n_modes = all ? modes_pairwise(&modes) : modes_product(1u << FACTOR_ISA, &modes);
    return print_hashes(modes, n_modes) != 0;
}
