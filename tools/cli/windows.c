#include "system.h"

#include <fcntl.h>
#include <io.h>
#include <stdlib.h>
#include <windows.h>
/* Needs what stands above. */
#include <shellapi.h>

/* In memory that is freed at the end of the process. */
static char *utf8_of(const wchar_t *text)
{
    int n = WideCharToMultiByte(CP_UTF8, 0, text, -1, NULL, 0, NULL, NULL);
    char *out = cli_allocate(n + 1, 1);
    out[0] = 0;
    WideCharToMultiByte(CP_UTF8, 0, text, -1, out, n, NULL, NULL);
    return out;
}

static wchar_t *wide_of(const char *text)
{
    int n = MultiByteToWideChar(CP_UTF8, 0, text, -1, NULL, 0);
    wchar_t *out = cli_allocate(n + 1, sizeof *out);
    out[0] = 0;
    MultiByteToWideChar(CP_UTF8, 0, text, -1, out, n);
    return out;
}

void cli_system_start(int *argc, char ***argv)
{
    int n;
    wchar_t **wide = CommandLineToArgvW(GetCommandLineW(), &n);
    if (!wide)
        return;
    *argv = cli_allocate(n + 1, sizeof **argv);
    for (int i = 0; i < n; i++)
        (*argv)[i] = utf8_of(wide[i]);
    (*argv)[n] = NULL;
    *argc = n;
    SetConsoleOutputCP(CP_UTF8);
    _setmode(_fileno(stdin), _O_BINARY);
}

int cli_system_open(const char *path)
{
    return _wopen(wide_of(path), _O_RDONLY | _O_BINARY);
}

FILE *cli_system_create(const char *path)
{
    return _wfopen(wide_of(path), L"w");
}

int64_t cli_system_ms(void)
{
    return (int64_t)GetTickCount64();
}

/* Those are Python's, or measure what only Linux tells. */
bool cli_find_other(const char *name, char path[CLI_PATH])
{
    (void)name, (void)path;
    return false;
}

int cli_run_other(const char *name, char **argv)
{
    cli_fail(CLI_RESOURCES, "%s is not there on Windows: it takes %s", argv[0], name);
}

void cli_input_through(cli_input *in, const char *const *words)
{
    cli_fail(CLI_RESOURCES, "%s: is read by %s, which is not done on Windows: unpack it first",
             in->name, *words);
}

int cli_input_wait(cli_input *in)
{
    in->reader = 0;
    return 0;
}
