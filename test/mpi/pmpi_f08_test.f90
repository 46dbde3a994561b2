! Reductions through `use mpi_f08` under the interposer, completed in every way.
program pmpi_f08_test
  use mpi_f08
  implicit none
  integer, parameter :: n = 200
  double precision :: x(n)
  double precision, asynchronous :: s(n), t(n), u(n)
  type(MPI_Request) :: q(4)
  type(MPI_Status) :: status, statuses(4)
  integer :: rank, nproc, way, failures, total, index, done, left, indices(4), r
  double precision :: exact
  logical :: flag

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, nproc)
  x = term(rank)
  exact = 0 ! the ones, exactly; then what is left of the large terms: one rounding
  do r = 1, nproc - 1, 3
    exact = exact + 1
  end do
  if (modulo(nproc, 3) /= 0) exact = exact + 2d0**60
  call MPI_Allreduce(x, s, n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
  failures = count(s /= exact)

  do way = 1, 9
    s = 0; t = 0; u = 0
    call MPI_Iallreduce(x, s, n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, q(1))
    call MPI_Iallreduce(x, t, n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, q(2))
    call MPI_Ireduce(x, u, n, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, q(3))
    q(4) = MPI_REQUEST_NULL
    flag = .false.
    left = 3
    select case (way)
    case (1)
      call MPI_Waitall(4, q, MPI_STATUSES_IGNORE)
    case (2)
      call MPI_Waitall(4, q, statuses)
    case (3)
      do left = 1, 3
        call MPI_Waitany(4, q, index, status)
        if (index < 1 .or. index > 3) failures = failures + 1
      end do
    case (4)
      do while (left > 0)
        call MPI_Waitsome(4, q, done, indices, MPI_STATUSES_IGNORE)
        if (any(indices(1:done) < 1) .or. any(indices(1:done) > 3)) failures = failures + 1
        left = left - done
      end do
    case (5)
      do while (left > 0)
        call MPI_Test(q(left), flag, MPI_STATUS_IGNORE)
        if (flag) left = left - 1
      end do
    case (6)
      do while (.not. flag)
        call MPI_Testall(4, q, flag, statuses)
      end do
    case (7)
      do while (left > 0)
        call MPI_Testany(4, q, index, flag, MPI_STATUS_IGNORE)
        if (flag) left = left - 1
      end do
    case (8)
      do while (left > 0)
        call MPI_Testsome(4, q, done, indices, statuses)
        left = left - done
      end do
    case (9)
      do while (.not. flag)
        call MPI_Request_get_status(q(1), flag, status)
      end do
      failures = failures + count(s /= exact)
      do left = 1, 3
        call MPI_Wait(q(left), MPI_STATUS_IGNORE)
      end do
    end select
    failures = failures + count(s /= exact) + count(t /= exact)
    if (rank == 0) failures = failures + count(u /= exact)
    if (any(q%MPI_VAL /= MPI_REQUEST_NULL%MPI_VAL)) failures = failures + 1
  end do
  call MPI_Allreduce(failures, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  if (rank == 0) then
    print '(a)', '1..1'
    print '(a, a)', trim(merge('ok    ', 'not ok', total == 0)), ' 1 - mpi_f08'
  end if
  call MPI_Finalize()

contains

  double precision function term(r)
    integer, intent(in) :: r
    term = merge(2d0**60, merge(1d0, -2d0**60, modulo(r, 3) == 1), modulo(r, 3) == 0)
  end function

end program
