/* The kernels as text, made by embed.py. */
#pragma once

/* Lines, because a C compiler need not take strings of more than 4095 characters. */
typedef struct {
    const char *program;
    unsigned n_lines;
    const char *const *line;
} exb_gpu_source;

/* Up to an entry without a name. */
extern const exb_gpu_source exb_gpu_sources[];
