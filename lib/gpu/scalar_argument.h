/* Scalars of public routines, in templates (after core/type.h): numbers, or of complex types
 * pointers to them; either way the front (flow/front.h) takes where they lie. */
#ifndef EXB_GPU_SCALAR_ARGUMENT_H
#define EXB_GPU_SCALAR_ARGUMENT_H

#if EXB_IS_COMPLEX
#define exb_gpu_address_of(scalar) (scalar)
#else
#define exb_gpu_address_of(scalar) (&(scalar))
#endif

#endif
