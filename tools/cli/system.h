/* What the command needs of the operating system: posix.c and windows.c. */
#pragma once

#include "input.h"

#include <stdio.h>

enum { CLI_PATH = 2 * 4096, CLI_NOT_FOUND = 127 };

/* Arguments become UTF-8, as are paths from there on. */
void cli_system_start(int *argc, char ***argv);

/* A file to read, or -1; one to write text to, or NULL. */
int cli_system_open(const char *path);
FILE *cli_system_create(const char *path);

int64_t cli_system_ms(void);

/* The path of a command of its own, which stands beside this one, at the same place of a build
 * tree, or on PATH. False: there is none. */
bool cli_find_other(const char *name, char path[CLI_PATH]);
int cli_run_other(const char *name, char **argv);

/* Waits for the process of cli_input_through; its exit status. */
int cli_input_wait(cli_input *in);
