/* What the two files of Open MPI's Fortran names share. */
#ifndef EXB_FORTRAN_OPENMPI_H
#define EXB_FORTRAN_OPENMPI_H

/* The other name of a function. */
#define ALSO(name, original, parameters) void name parameters __attribute__((alias(#original)))

#endif
