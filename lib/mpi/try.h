/* Codes of MPI's calls. */
#pragma once

/* Ends the function with the code of a call that failed. */
#define EXB_TRY(call)                                                                              \
    do {                                                                                           \
        int exb_code = (call);                                                                     \
        if (exb_code)                                                                              \
            return exb_code;                                                                       \
    } while (0)

/* The first error of two. */
static inline int exb_first_error(int first, int second)
{
    return first ? first : second;
}
