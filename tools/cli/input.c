#include "input.h"
#include "system.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void cli_input_open(cli_input *in, const char *path, bool quiet)
{
    static bool standard_input_taken;
    struct stat s;
    bool standard = strcmp(path, "-") == 0;
    if (standard && standard_input_taken)
        cli_fail(CLI_BAD_INPUT, "-: standard input can be read once only");
    standard_input_taken |= standard;
    *in = (cli_input){.name = standard ? "<stdin>" : path,
                      .fd = standard ? STDIN_FILENO : cli_system_open(path),
                      .place = {1, 1}};
    if (in->fd < 0 || fstat(in->fd, &s) != 0)
        cli_fail(CLI_BAD_INPUT, "%s: %s", in->name, strerror(errno));
    in->n_bytes = S_ISREG(s.st_mode) ? (int64_t)s.st_size : -1;
    in->progress = !quiet && isatty(STDERR_FILENO);
    in->started_ms = in->shown_ms = cli_system_ms();
}

void cli_input_close(cli_input *in)
{
    if (in->progress && in->shown_ms > in->started_ms)
        fprintf(stderr, "\r\033[K");
    if (in->fd != STDIN_FILENO)
        close(in->fd);
    if (in->reader)
        cli_input_wait(in);
}

static void expect_success(cli_input *in)
{
    int status = cli_input_wait(in);
    if (status != 0)
        cli_fail(CLI_BAD_INPUT, "%s: damaged%s", in->name,
                 status == CLI_NOT_FOUND ? ", or the program that reads it is not installed" : "");
}

int64_t cli_input_by_python(cli_input *in, const char *module, const char *argument)
{
    char line[300], *rest;
    size_t n = 0;
    const char *python = getenv("PYTHON_FOR_EXBLAS");
    python = python ? python : "python3";
    cli_input_through(in, (const char *[]){python, "-P", "-m", module, argument, NULL});
    while (n < sizeof line - 1 && read(in->fd, line + n, 1) == 1 && line[n] != '\n')
        n++;
    line[n] = 0;
    int64_t number = strtoll(line, &rest, 10);
    if (n == 0)
        cli_fail(CLI_RESOURCES, "%s: %s -m %s does not run: pip install exblas", in->name, python,
                 module);
    if (*rest)
        cli_bad_offset(in, 0, "%s", line);
    return number;
}

/* After a second, five times a second. */
static void show_progress(cli_input *in)
{
    int64_t now = cli_system_ms();
    if (now - in->started_ms < 1000 || now - in->shown_ms < 200)
        return;
    in->shown_ms = now;
    double mib = (double)in->offset / (1 << 20);
    if (in->n_bytes > 0) {
        int percent = (int)(100 * (double)in->offset / (double)in->n_bytes);
        int n_marks = percent < 100 ? percent * 3 / 10 : 30;
        fprintf(stderr, "\r\033[K%s [%.*s%*s] %3d %%  %.0f MiB", in->name, n_marks,
                "##############################", 30 - n_marks, "", percent, mib);
    } else {
        fprintf(stderr, "\r\033[K%s  %.0f MiB", in->name, mib);
    }
}

static size_t read_some(cli_input *in, void *bytes, size_t n)
{
    ssize_t got;
    do
        got = read(in->fd, bytes, n);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        cli_fail(CLI_BAD_INPUT, "%s: %s", in->name, strerror(errno));
    if (got == 0 && in->reader)
        expect_success(in);
    if (in->progress)
        show_progress(in);
    return (size_t)got;
}

size_t cli_input_peek(cli_input *in, size_t n)
{
    if (in->end - in->next >= n)
        return in->end - in->next;
    memmove(in->buffer, in->buffer + in->next, in->end - in->next);
    in->end -= in->next;
    in->next = 0;
    while (in->end < n) {
        size_t got = read_some(in, in->buffer + in->end, sizeof in->buffer - in->end);
        if (!got)
            break;
        in->end += got;
    }
    return in->end;
}

size_t cli_input_read(cli_input *in, void *bytes, size_t n)
{
    size_t done = in->end - in->next < n ? in->end - in->next : n;
    memcpy(bytes, in->buffer + in->next, done);
    in->next += done;
    while (done < n) {
        size_t got = read_some(in, (char *)bytes + done, n - done);
        if (!got)
            break;
        done += got;
    }
    in->offset += (int64_t)done;
    return done;
}

int cli_input_get(cli_input *in)
{
    if (!cli_input_peek(in, 1))
        return -1;
    int c = in->buffer[in->next++];
    in->offset++;
    in->place.column++;
    if (c == '\n' || (c == '\r' && cli_input_next(in) != '\n'))
        in->place = (cli_place){in->place.line + 1, 1};
    return c;
}

/* Behind the LF that ends the same line as the CR just read. CR CR LF is what Windows makes of
 * CR LF. */
static bool skip_line_feed(cli_input *in)
{
    size_t n = cli_input_peek(in, 2);
    const unsigned char *next = in->buffer + in->next;
    if (n > 0 && next[0] == '\n') {
        cli_input_get(in);
        return true;
    }
    if (n < 2 || next[0] != '\r' || next[1] != '\n')
        return false;
    in->next += 2;
    in->offset += 2;
    return true;
}

int cli_input_get_text(cli_input *in)
{
    cli_place place = in->place;
    int c = cli_input_get(in);
    if (c != '\n' && c != '\r')
        return c;
    if (c == '\r' && skip_line_feed(in))
        c = '\n';
    if (in->line_end && in->line_end != c)
        cli_bad_place(in, place, "lines end with CR alone and with LF: make them one (mac2unix)");
    in->line_end = c;
    return '\n';
}

/* Bytes of the character of UTF-8 at c; 0 for what is none, and for controls. */
static int n_bytes_of_character(const unsigned char *c)
{
    int n = *c < 0x80 ? 1 : *c >= 0xf0 ? 4 : *c >= 0xe0 ? 3 : 2;
    if (*c < ' ' || *c == 0x7f || (*c >= 0x80 && *c < 0xc2) || *c > 0xf4)
        return 0;
    for (int k = 1; k < n; k++)
        if ((c[k] & 0xc0) != 0x80)
            return 0;
    return n == 2 && *c == 0xc2 && c[1] < 0xa0 ? 0 : n; /* U+0080 to U+009F are controls, too */
}

/* What a file says is shown as text: never as what a terminal would obey. */
static void describe(char *text, size_t n_text, const char *format, va_list arguments)
{
    vsnprintf(text, n_text, format, arguments);
    for (unsigned char *c = (unsigned char *)text; *c;) {
        int n = n_bytes_of_character(c);
        if (!n)
            *c = '?';
        c += n ? n : 1;
    }
}

void cli_bad_place(const cli_input *in, cli_place place, const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    describe(text, sizeof text, format, arguments);
    va_end(arguments);
    cli_fail(CLI_BAD_INPUT, "%s:%lld:%lld: %s", in->name, (long long)place.line,
             (long long)place.column, text);
}

void cli_bad_offset(const cli_input *in, int64_t offset, const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    describe(text, sizeof text, format, arguments);
    va_end(arguments);
    cli_fail(CLI_BAD_INPUT, "%s: offset %lld: %s", in->name, (long long)offset, text);
}
