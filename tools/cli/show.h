/* Numbers and names as text and JSON. */
#pragma once

#include "cli.h"

enum { CLI_SHOWN = 40 };

/* The shortest decimal that reads back as x, a float if is_float. */
const char *cli_show(double x, bool is_float, char text[CLI_SHOWN]);

/* {"value": ..., "hex": "0x1..."}; value is null for what JSON has no number for. */
void cli_json_number(double x, bool is_float);

/* A string in quotes, escaped. */
void cli_json_string(const char *text);
