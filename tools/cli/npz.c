/* Arrays in npz files, which are zip archives of npy files. */
#include "input.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <zip.h>

static bool is_array(const char *name, const char *wanted)
{
    size_t n = strlen(name), m = wanted ? strlen(wanted) : 0;
    if (n < 4 || strcmp(name + n - 4, ".npy") != 0)
        return false;
    return !wanted || (n - 4 == m && strncmp(name, wanted, m) == 0);
}

static void list_name(char *names, size_t room, const char *name)
{
    size_t n = strlen(names);
    snprintf(names + n, room - n, "%s%.*s", n ? ", " : "", (int)strlen(name) - 4, name);
}

/* The number of the only array, or of that of this name. */
static zip_int64_t choose(cli_input *in, const char *array)
{
    char names[200] = "";
    zip_int64_t n = zip_get_num_entries(in->archive, 0), found = -1;
    int n_arrays = 0, n_fit = 0;
    for (zip_int64_t k = 0; k < n; k++) {
        const char *name = zip_get_name(in->archive, (zip_uint64_t)k, 0);
        if (!name || !is_array(name, NULL))
            continue;
        n_arrays++;
        list_name(names, sizeof names, name);
        if (is_array(name, array)) {
            n_fit++;
            found = k;
        }
    }
    if (n_fit == 1)
        return found;
    cli_bad_offset(in, 0,
                   n_fit ? "%d arrays (%s): choose one with --column"
                         : "%d arrays (%s), none of them wanted",
                   n_arrays, names);
}

void cli_input_enter(cli_input *in, const char *array)
{
    zip_stat_t about;
    int error = 0, fd = in->n_bytes < 0 ? -1 : dup(in->fd);
    if (fd < 0)
        cli_fail(CLI_BAD_INPUT, "%s: an npz file cannot be read from a stream", in->name);
    in->archive = zip_fdopen(fd, 0, &error);
    if (!in->archive)
        cli_bad_offset(in, 0, "not an npz file, or damaged (zip: error %d)", error);
    zip_uint64_t k = (zip_uint64_t)choose(in, array);
    if (zip_stat_index(in->archive, k, 0, &about) == 0 && about.valid & ZIP_STAT_SIZE)
        in->n_bytes = (int64_t)about.size;
    in->entry = zip_fopen_index(in->archive, k, 0);
    if (!in->entry)
        cli_bad_offset(in, 0, "the array cannot be read: %s", zip_strerror(in->archive));
    in->is_member = true;
    in->offset = 0;
    in->next = in->end = 0;
}

size_t cli_member_read(cli_input *in, void *bytes, size_t n)
{
    zip_int64_t got = zip_fread(in->entry, bytes, n);
    if (got < 0)
        cli_bad_offset(in, in->offset, "damaged: %s", zip_file_strerror(in->entry));
    return (size_t)got;
}

void cli_member_close(cli_input *in)
{
    zip_fclose(in->entry);
    zip_discard(in->archive);
}
