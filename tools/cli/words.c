/* Names of commands and options: what a slip may have meant, and what shells shall complete. */
#include "cli.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST = 24 };

static int least(int a, int b)
{
    return a < b ? a : b;
}

/* Letters to insert, to take out or to change. */
static int distance(const char *a, const char *b)
{
    int n = (int)strlen(b), row[LONGEST + 1];
    for (int k = 0; k <= n; k++)
        row[k] = k;
    for (int i = 1; *a; a++, i++)
        for (int k = 1, corner = i - 1, left = row[0] = i; k <= n; k++) {
            int above = row[k];
            left = row[k] = least(corner + (*a != b[k - 1]), least(left, above) + 1);
            corner = above;
        }
    return row[n];
}

const char *cli_perhaps(const char *word, int n, const char *const *names, const char *dashes)
{
    static char text[LONGEST + 40];
    int most = 2;
    word += strspn(word, "-");
    text[0] = 0;
    for (int k = 0; k < n && strlen(word) <= LONGEST; k++) {
        int d = distance(word, names[k]);
        if (d > most || d >= (int)strlen(word))
            continue;
        most = d - 1;
        snprintf(text, sizeof text, " (did you mean %s%s?)", dashes, names[k]);
    }
    return text;
}

static void list(int n, const char *const *names, const char *before)
{
    for (int k = 0; k < n; k++)
        printf(" %s%s", before, names[k]);
}

int cli_completions(const cli_request *q)
{
    const char *commands[CLI_MOST_WORDS], *options[CLI_MOST_WORDS];
    const char *shell = q->n_files == 1 ? q->file[0] : "";
    int n = cli_commands(commands), m = cli_options(options);
    bool is_fish = strcmp(shell, "fish") == 0, is_zsh = strcmp(shell, "zsh") == 0;
    if (!is_fish && !is_zsh && strcmp(shell, "bash") != 0)
        cli_fail(CLI_BAD_INPUT, "completions needs bash, zsh or fish");
    printf(is_fish  ? "complete -c exblas -n __fish_use_subcommand -a '"
           : is_zsh ? "_exblas() { compadd --"
                    : "complete -o default -W '");
    list(n, commands, "");
    if (!is_fish)
        list(m, options, "--");
    printf(is_fish ? "'\n" : is_zsh ? "; _files }; compdef _exblas exblas\n" : "' exblas\n");
    for (int k = 0; is_fish && k < m; k++)
        printf("complete -c exblas -l %s\n", options[k]);
    return CLI_OK;
}
