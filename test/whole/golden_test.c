/* The golden hashes (golden.txt) over all pairs of modes. */
#include "golden.h"
#include "testing.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* The hash that golden.txt has for a routine; fails if it has none. */
static uint64_t expected_hash(const char *routine)
{
    const char *path = getenv("TEST_GOLDEN");
    FILE *f = fopen(path ? path : "test/golden.txt", "r");
    char name[32];
    uint64_t hash = 0, found = 0;
    assert_non_null(f);
    while (fscanf(f, "%31s %" SCNx64, name, &hash) == 2)
        if (strcmp(name, routine) == 0)
            found = hash;
    fclose(f);
    if (found == 0)
        fail_msg("golden.txt has no hash for %s", routine);
    return found;
}

static void same_in_all_modes(NO_STATE)
{
    const call_mode *modes;
    size_t n_modes = modes_pairwise(&modes);
    int failures = 0;
    for (int i = 0; i < golden_count(); i++) {
        uint64_t expected = expected_hash(golden_name(i));
        for (size_t j = 0; j < n_modes; j++)
            if (golden_hash(i, &modes[j]) != expected) {
                char text[200];
                mode_text(&modes[j], text);
                fprintf(stderr, "%s: %s\n", golden_name(i), text);
                failures++;
            }
    }
    mode_restore();
    assert_int_equal(failures, 0);
}

TESTS(same_in_all_modes)
