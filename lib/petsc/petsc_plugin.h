/* The types that libexblas_petsc.so adds to PETSc. PETSc loads it by -dll_append. */
#pragma once

#include <petscmat.h>

#define EXB_PETSC_VEC "exblas"
#define EXB_PETSC_MAT "aijexblas"
#define EXB_PETSC_SEQ_MAT "seqaijexblas"
#define EXB_PETSC_MPI_MAT "mpiaijexblas"

/* Constructors of the types, as VecRegister and MatRegister take them. */
PetscErrorCode exb_petsc_create_vec(Vec v);
PetscErrorCode exb_petsc_create_seq_mat(Mat a);
PetscErrorCode exb_petsc_create_mpi_mat(Mat a);
