/* Bytes of a file or of standard input, with the place of each for messages. */
#pragma once

#include "cli.h"

#include <stddef.h>

enum { CLI_BUFFER = 1 << 16 };

typedef struct {
    int64_t line, column; /* from 1; column in bytes */
} cli_place;

typedef struct {
    const char *name;
    int fd;
    int64_t n_bytes; /* of the file; -1: unknown */
    int64_t offset;  /* of the next byte */
    cli_place place; /* of the next byte, for readers of text */
    int line_end;    /* '\n' or '\r', as the lines of text before ended; 0: none yet */
    int64_t reader;  /* the process from which fd is a pipe; 0: none */
    size_t next, end;
    bool progress; /* on a terminal, when it takes long */
    int64_t started_ms, shown_ms;
    unsigned char buffer[CLI_BUFFER];
} cli_input;

/* "-" is standard input, once. Exits if it cannot be opened. */
void cli_input_open(cli_input *in, const char *path, bool quiet);
void cli_input_close(cli_input *in);

/* From here on the bytes are what a program makes of the file, from its beginning. Exits if it is a
 * stream; when reading, if the program fails. */
void cli_input_through(cli_input *in, const char *const *words);

/* The same with a module of the Python package, whose first line is a number or what is wrong. */
int64_t cli_input_by_python(cli_input *in, const char *module, const char *argument);

/* Makes up to n <= CLI_BUFFER bytes lie at in->buffer + in->next; returns how many there are. */
size_t cli_input_peek(cli_input *in, size_t n);

/* Copies up to n bytes; fewer only at the end. Does not keep in->place. */
size_t cli_input_read(cli_input *in, void *bytes, size_t n);

/* The next byte, or -1 at the end. */
int cli_input_get(cli_input *in);

/* The same of text: each end of a line is one '\n', whether LF, CR LF, CR CR LF or CR alone. Exits
 * where CR alone ends a line and LF another. */
int cli_input_get_text(cli_input *in);

/* The next byte stays. */
static inline int cli_input_next(cli_input *in)
{
    return cli_input_peek(in, 1) ? in->buffer[in->next] : -1;
}

/* As cli_fail with CLI_BAD_INPUT, naming file and place. */
_Noreturn void cli_bad_place(const cli_input *in, cli_place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
_Noreturn void cli_bad_offset(const cli_input *in, int64_t offset, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
