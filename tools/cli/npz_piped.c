/* In place of npz.c where there is no libzip, as in wheels: the Python that PYTHON_FOR_EXBLAS
 * names, as the package's command does, reads the archive (bindings/python/exblas/_npz.py) and
 * sends a line, the size of the array or what is wrong, and the bytes. */
#include "input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void become_reader(const char *python, const char *array, int archive, int out)
{
    dup2(archive, 0);
    dup2(out, 1);
    execlp(python, python, "-P", "-m", "exblas._npz", array, (char *)NULL);
    _exit(127);
}

/* The end of a pipe, from which a child's output comes. */
static int start_reader(cli_input *in, const char *python, const char *array)
{
    int ends[2];
    if (pipe(ends) != 0 || (in->reader = fork()) < 0)
        cli_fail(CLI_RESOURCES, "cannot start %s: %s", python, strerror(errno));
    if (in->reader == 0) {
        close(ends[0]); /* else it would outlive us, writing to itself */
        become_reader(python, array, in->fd, ends[1]);
    }
    close(ends[1]);
    return ends[0];
}

/* The reader's line: a byte at a time, since what follows is the array's. */
static void read_line(int fd, char *line, size_t room)
{
    size_t n = 0;
    while (n < room - 1 && read(fd, line + n, 1) == 1 && line[n] != '\n')
        n++;
    line[n] = 0;
}

void cli_input_enter(cli_input *in, const char *array)
{
    char line[300], *rest;
    const char *python = getenv("PYTHON_FOR_EXBLAS");
    if (in->n_bytes < 0)
        cli_fail(CLI_BAD_INPUT, "%s: an npz file cannot be read from a stream", in->name);
    if (!python)
        cli_fail(CLI_BAD_INPUT, "%s: this command was built without libzip, which npz files need",
                 in->name);
    in->pipe = start_reader(in, python, array);
    in->is_member = true;
    read_line(in->pipe, line, sizeof line);
    in->n_bytes = strtoll(line, &rest, 10);
    if (*line == 0)
        cli_fail(CLI_RESOURCES, "%s: %s cannot read npz files", in->name, python);
    if (*rest != 0)
        cli_bad_offset(in, 0, "%s", line);
    in->offset = 0;
    in->next = in->end = 0;
}

size_t cli_member_read(cli_input *in, void *bytes, size_t n)
{
    int status;
    ssize_t got = read(in->pipe, bytes, n);
    if (got == 0 && in->reader != 0) {
        if (waitpid(in->reader, &status, 0) < 0 || status != 0)
            cli_bad_offset(in, in->offset, "damaged");
        in->reader = 0;
    }
    if (got < 0)
        cli_fail(CLI_RESOURCES, "%s: %s", in->name, strerror(errno));
    return (size_t)got;
}

void cli_member_close(cli_input *in)
{
    close(in->pipe);
    if (in->reader != 0)
        waitpid(in->reader, NULL, 0);
}
