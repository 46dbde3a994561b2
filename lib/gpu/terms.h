/* What a reduction adds up; the same numbers as exb_term (core/kernels.h). */
#ifndef EXB_GPU_TERMS_H
#define EXB_GPU_TERMS_H

enum { EXB_GPU_X = 0, EXB_GPU_ABS_X = 1, EXB_GPU_XY = 2 };

#endif
