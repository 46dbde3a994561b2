#include "show.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const char *cli_show(double x, bool is_float, char text[CLI_SHOWN])
{
    int most = is_float ? 9 : 17;
    for (int n_digits = is_float ? 6 : 15; n_digits <= most; n_digits++) {
        snprintf(text, CLI_SHOWN, "%.*g", n_digits, x);
        double again = is_float ? (double)strtof(text, NULL) : strtod(text, NULL);
        if (again == x)
            break;
    }
    return isnan(x) ? "nan" : text;
}

void cli_json_number(double x, bool is_float)
{
    char text[CLI_SHOWN];
    const char *decimal = isfinite(x) ? cli_show(x, is_float, text) : "null";
    if (isnan(x))
        printf("{\"value\": null, \"hex\": \"nan\"}");
    else
        printf("{\"value\": %s, \"hex\": \"%a\"}", decimal, x);
}

void cli_json_string(const char *text)
{
    putchar('"');
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        if (*c == '"' || *c == '\\')
            printf("\\%c", *c);
        else if (*c < ' ')
            printf("\\u%04x", *c);
        else
            putchar(*c);
    putchar('"');
}
