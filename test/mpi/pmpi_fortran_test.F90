! Reductions from Fortran under the interposer: 2^60, 1 and -2^60 from ranks 0, 1, 2, ... in turn,
! whose sum plain additions get wrong in most orders, by all functions that start one and all that
! complete it; and what is not the interposer's business. With F08 by mpi_f08, else by mpi.
#ifdef F08
#define MODULE mpi_f08
#define REQUEST type(MPI_Request)
#define STATUS type(MPI_Status) :: status, statuses(5)
#define FIELD(field) %field
#define VALUE %MPI_VAL
#else
#define MODULE mpi
#define REQUEST integer
#define STATUS integer :: status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, 5)
#define FIELD(field) (field)
#define VALUE
#endif
#define OF_DOUBLES MPI_DOUBLE_PRECISION, MPI_SUM
program pmpi_fortran_test
  use MODULE
  implicit none
  integer, parameter :: n = 300
  double precision, asynchronous :: x(n), s(n), part(n), block(n), at_root(n)
  real, asynchronous :: y(n), t(n)
  double precision, allocatable, asynchronous :: wide(:)
  integer, allocatable :: counts(:)
  REQUEST :: requests(5)
  STATUS
  integer :: rank, nproc, error, way, got, number

  number = 0
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, nproc, error)
  allocate(counts(nproc), source=n)
  allocate(wide(n * nproc), source=term(rank))
  if (rank == 0) print '(a)', '1..12'

  call fill()
  call MPI_Allreduce(x, s, n, OF_DOUBLES, MPI_COMM_WORLD, error)
  call MPI_Allreduce(y, t, n, MPI_REAL, MPI_SUM, MPI_COMM_WORLD, error)
  call MPI_Reduce_scatter(wide, part, counts, OF_DOUBLES, MPI_COMM_WORLD, error)
  call MPI_Reduce_scatter_block(wide, block, n, OF_DOUBLES, MPI_COMM_WORLD, error)
  call MPI_Reduce(x, at_root, n, OF_DOUBLES, 0, MPI_COMM_WORLD, error)
  call report('blocking', are_right())

  do way = 1, 9
    call fill()
    call MPI_Iallreduce(x, s, n, OF_DOUBLES, MPI_COMM_WORLD, requests(1), error)
    call MPI_Iallreduce(y, t, n, MPI_REAL, MPI_SUM, MPI_COMM_WORLD, requests(2), error)
    call MPI_Ireduce_scatter(wide, part, counts, OF_DOUBLES, MPI_COMM_WORLD, requests(3), error)
    call MPI_Ireduce_scatter_block(wide, block, n, OF_DOUBLES, MPI_COMM_WORLD, requests(4), error)
    call MPI_Ireduce(x, at_root, n, OF_DOUBLES, 0, MPI_COMM_WORLD, requests(5), error)
    call complete()
    call report('non-blocking', are_right() .and. all(requests VALUE == MPI_REQUEST_NULL VALUE))
  end do

  call fill()
  call MPI_Allreduce(MPI_IN_PLACE, x, n, OF_DOUBLES, MPI_COMM_WORLD, error)
  call report('in place', all(x == exact()))

  call MPI_Allreduce(dble(rank), s, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, error)
  call MPI_Irecv(got, 1, MPI_INTEGER, modulo(rank - 1, nproc), 7, MPI_COMM_WORLD, requests(1), error)
  call MPI_Send(rank, 1, MPI_INTEGER, modulo(rank + 1, nproc), 7, MPI_COMM_WORLD, error)
  call MPI_Wait(requests(1), status, error)
  call report('other calls', s(1) == nproc - 1 .and. got == modulo(rank - 1, nproc) .and. &
      status FIELD(MPI_SOURCE) == got .and. status FIELD(MPI_TAG) == 7)
  call MPI_Finalize(error)

contains

  double precision function term(r)
    integer, intent(in) :: r
    term = merge(2d0**60, merge(1d0, -2d0**60, modulo(r, 3) == 1), modulo(r, 3) == 0)
  end function

  ! The sum over all ranks: integers, exactly representable in two parts.
  double precision function exact()
    integer :: r
    exact = count([(modulo(r, 3) == 1, r=0, nproc - 1)]) + 2d0**60 * &
        (count([(modulo(r, 3) == 0, r=0, nproc - 1)]) - count([(modulo(r, 3) == 2, r=0, nproc - 1)]))
  end function

  subroutine fill()
    x = term(rank)
    y = real(term(rank))
    s = 0
    t = 0
    part = 0
    block = 0
    at_root = merge(0d0, exact(), rank == 0)
  end subroutine

  logical function are_right()
    are_right = all([s, part, block, at_root] == exact()) .and. all(t == real(exact()))
  end function

  subroutine complete()
    integer :: left, done, index, indices(5)
    logical :: flag
    left = 5
    flag = .false.
    select case (way)
    case (1)
      call MPI_Waitall(5, requests, MPI_STATUSES_IGNORE, error)
    case (2)
      call MPI_Waitall(5, requests, statuses, error)
    case (3)
      do left = 1, 5
        call MPI_Waitany(5, requests, index, status, error)
      end do
    case (4)
      do while (left > 0)
        call MPI_Waitsome(5, requests, done, indices, MPI_STATUSES_IGNORE, error)
        left = left - done
      end do
    case (5)
      do while (left > 0)
        call MPI_Test(requests(left), flag, MPI_STATUS_IGNORE, error)
        if (flag) left = left - 1
      end do
    case (6)
      do while (.not. flag)
        call MPI_Testall(5, requests, flag, MPI_STATUSES_IGNORE, error)
      end do
    case (7)
      do while (left > 0)
        call MPI_Testany(5, requests, index, flag, MPI_STATUS_IGNORE, error)
        if (flag) left = left - 1
      end do
    case (8)
      do while (left > 0)
        call MPI_Testsome(5, requests, done, indices, statuses, error)
        left = left - done
      end do
    case default
      do while (.not. flag)
        call MPI_Request_get_status(requests(1), flag, status, error)
      end do
      if (any(s /= exact())) s = -1
      do left = 1, 5
        call MPI_Wait(requests(left), MPI_STATUS_IGNORE, error)
      end do
    end select
  end subroutine

  subroutine report(name, is_right)
    character(*), intent(in) :: name
    logical, intent(in) :: is_right
    logical :: all_right
    call MPI_Allreduce(is_right, all_right, 1, MPI_LOGICAL, MPI_LAND, MPI_COMM_WORLD, error)
    number = number + 1
    if (rank == 0) print '(a, i0, 2a)', merge('ok     ', 'not ok ', all_right), number, ' - ', name
  end subroutine

end program
