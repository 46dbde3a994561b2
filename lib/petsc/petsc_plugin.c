#include "petsc/petsc_plugin.h"

/* What PETSc calls when it has loaded the library; the name is made of the library's. */
PETSC_EXTERN PetscErrorCode PetscDLLibraryRegister_exblas_petsc(void);

PetscErrorCode PetscDLLibraryRegister_exblas_petsc(void)
{
    PetscFunctionBegin;
    PetscCall(VecRegister(EXB_PETSC_VEC, exb_petsc_create_vec));
    PetscCall(MatRegisterRootName(EXB_PETSC_MAT, EXB_PETSC_SEQ_MAT, EXB_PETSC_MPI_MAT));
    PetscCall(MatRegister(EXB_PETSC_SEQ_MAT, exb_petsc_create_seq_mat));
    PetscCall(MatRegister(EXB_PETSC_MPI_MAT, exb_petsc_create_mpi_mat));
    PetscFunctionReturn(0);
}
