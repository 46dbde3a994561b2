/* The kernels as text, made by embed.py. */
#pragma once

/* Up to an entry without a name. */
typedef struct {
    const char *program, *text;
} exb_gpu_source;

extern const exb_gpu_source exb_gpu_sources[];
