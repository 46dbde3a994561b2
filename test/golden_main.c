/* Prints `routine hash` lines in the plain mode, or in every mode of the pairwise
 * covering with --all, where a routine that has two hashes is an error. */
#include "golden.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static int print_all(void)
{
    call_mode *modes;
    size_t n_modes = modes_pairwise(&modes);
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
    free(modes);
    return failures != 0;
}

int main(int argc, char **argv)
{
    const call_mode plain = {{0}};
    if (argc == 2 && strcmp(argv[1], "--all") == 0)
        return print_all();
    if (argc != 1) {
        fprintf(stderr, "usage: golden [--all]\n");
        return 2;
    }
    for (int i = 0; i < golden_count(); i++)
        printf("%s %016" PRIx64 "\n", golden_name(i), golden_hash(i, &plain));
    return 0;
}
