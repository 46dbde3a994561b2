! A program that knows nothing of ExBLAS: a dot product over processes. Prints its bits.
program fuse_program
  use mpi
  implicit none
  integer, parameter :: n = 1000
  double precision :: x(n), y(n), part, whole
  double precision, external :: ddot
  integer :: rank, processes, i, m, error
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, processes, error)
  m = 0
  do i = rank, n - 1, processes
    m = m + 1
    x(m) = merge(-1d0, 1d0, mod(i, 2) == 1) / (i / 2 + 3)
    y(m) = 1d7 / (i / 2 + 1) + merge(1d-6 / (i + 1), 0d0, mod(i, 2) == 1)
  end do
  part = ddot(m, x, 1, y, 1)
  call MPI_Allreduce(part, whole, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
  write (*, '(z16.16)') whole
  call MPI_Finalize(error)
end program
