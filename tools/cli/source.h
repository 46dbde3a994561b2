/* The numbers of a file, in the order of the file, as doubles (floats and integers convert
 * exactly or are refused). */
#pragma once

#include "input.h"

enum { CLI_MAX_DIMS = 32, CLI_BLOCK = 1 << 15 /* numbers read at a time */ };

typedef struct {
    char kind; /* f i u b */
    int n_bytes;
    bool big_endian;
} cli_element;

typedef struct {
    bool coordinate, pattern;
    int mirror; /* the other triangle: 0 not implied, 1 equal, -1 negated */
    int64_t n_rows, n_columns;
    int64_t row, column; /* of the next element of an array; of coordinates, of the last one read */
    int64_t n_left, last_line;
    bool has_mirrored;
    double mirrored;
} cli_matrix_market;

typedef struct {
    int64_t n_columns, n_wanted;
    int64_t *place; /* of each column among those wanted; -1: it is none */
    int64_t by;     /* the column of keys; -1: none */
    char **name;    /* the first record */
    cli_place *at;  /* where its fields begin */
    bool has_names; /* which is a header */
    bool has_first; /* it is none, and is still to be read */
    char *key;      /* of the record that was read last */
} cli_table;

typedef struct cli_source {
    cli_input in;
    cli_format format;
    bool is_complex;    /* elements are pairs of numbers: re, im; the shape counts pairs */
    bool is_float;      /* elements are floats: so is the result, unless asked otherwise */
    bool has_positions; /* element k of two such files belong together, if the shapes agree */
    bool fortran_order;
    int n_dims;
    int64_t shape[CLI_MAX_DIMS];
    int64_t n_read;
    int64_t n_elements;  /* -1: until the end of the file */
    cli_element element; /* npy, raw */
    char separator;      /* text, csv; 0: blanks alone */
    char decimal;        /* what stands before the decimals */
    bool is_separator;   /* text: no comma is a decimal one */
    bool skip_na;        /* words for missing values are NaN */
    cli_matrix_market matrix;
    cli_table table;
    size_t (*read)(struct cli_source *, double *x, size_t n);
} cli_source;

/* Opens and reads the header. Exits with a message on what is not well-formed. */
void cli_source_open(cli_source *s, const cli_request *q, const char *path);

/* Up to n numbers; 0 at the end, which is checked to be one. Of a table whole records, with keys
 * one: n is at least n_wanted. */
size_t cli_source_read(cli_source *s, double *x, size_t n);

/* The rest of the file. *n of them, to be freed. */
double *cli_source_read_all(cli_source *s, int64_t *n);

/* The header of each format; sets s->read and what is known. */
void cli_open_npy(cli_source *s, const cli_request *q);
void cli_open_raw(cli_source *s, const cli_request *q);
void cli_open_text(cli_source *s, const cli_request *q);
void cli_open_csv(cli_source *s, const cli_request *q);
void cli_open_mtx(cli_source *s, const cli_request *q);

bool cli_ends(const char *name, const char *suffix);

/* x as C order from Fortran order (shape of s), in place. */
void cli_to_c_order(const cli_source *s, double *x);

/* Words of text: blanks, separators (0: none) and comments are skipped. False at the end. */
enum { CLI_WORD = 4096 };
typedef struct {
    char text[CLI_WORD];
    cli_place place;
} cli_word;
bool cli_next_word(cli_input *in, int comment, char separator, cli_word *w);

/* Is it empty, or a word for a missing value? */
bool cli_is_missing(const char *text);

/* The number that the whole word is, rounded once to float or double; exits if it is none or
 * overflows. */
double cli_number(const cli_source *s, const cli_word *w);

typedef enum { CLI_NUMBER, CLI_NO_NUMBER, CLI_TOO_LARGE } cli_parsed;
cli_parsed cli_parse_number(const char *text, bool is_float, double *x);
