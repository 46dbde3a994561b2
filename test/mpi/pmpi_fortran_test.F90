! Reductions from Fortran under the interposer: 2^60, 1 and -2^60 from ranks 0, 1, 2, ... in turn,
! whose sum plain additions get wrong in most orders, and what is not the interposer's business. With
! F08 by mpi_f08, else by mpi.
#ifdef F08
#define MODULE mpi_f08
#define REQUEST type(MPI_Request)
#define STATUS type(MPI_Status) :: status, statuses(4)
#define FIELD(field) %field
#define VALUE %MPI_VAL
#else
#define MODULE mpi
#define REQUEST integer
#define STATUS integer :: status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, 4)
#define FIELD(field) (field)
#define VALUE
#endif
program pmpi_fortran_test
  use MODULE
  implicit none
  integer, parameter :: n = 300
  double precision, asynchronous :: x(n), s(n)
  real, asynchronous :: y(n), t(n)
  REQUEST :: request, requests(4)
  STATUS
  integer :: rank, nproc, error, indices(4), i, done, index, failures, total, block, number
  integer, allocatable :: counts(:)
  double precision, allocatable, asynchronous :: wide(:)
  logical :: flag

  number = 0
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, nproc, error)
  allocate(counts(nproc), wide(n * nproc))
  if (rank == 0) print '(a)', '1..6'

  call fill()
  call MPI_Allreduce(x, s, n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
  failures = count(s /= exact(.false.))
  call MPI_Allreduce(y, t, n, MPI_REAL, MPI_SUM, MPI_COMM_WORLD, error)
  failures = failures + count(dble(t) /= exact(.true.))
  call MPI_Allreduce(MPI_IN_PLACE, x, n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
  failures = failures + count(x /= exact(.false.))
  call report('allreduce')

  call fill()
  call MPI_Reduce(x, s, n, MPI_DOUBLE_PRECISION, MPI_SUM, nproc - 1, MPI_COMM_WORLD, error)
  if (rank == nproc - 1) failures = count(s /= exact(.false.))
  call report('reduce')

  counts = n
  call MPI_Reduce_scatter(wide, s, counts, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
  failures = count(s /= exact(.false.))
  call MPI_Reduce_scatter_block(wide, s, n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
  failures = failures + count(s /= exact(.false.))
  call report('reduce_scatter')

  do i = 1, 9
    call start(requests(1), 1)
    call start(requests(2), 2)
    call start(requests(3), 3)
    requests(4) = MPI_REQUEST_NULL
    call complete(i)
    if (any(requests VALUE /= MPI_REQUEST_NULL VALUE)) failures = failures + 1
    failures = failures + count(s /= exact(.false.)) + count(dble(t) /= exact(.true.))
    if (rank == 0) failures = failures + count(wide(1:n) /= exact(.false.))
  end do
  call report('non-blocking')

  call fill()
  call MPI_Ireduce_scatter(wide, s, counts, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, &
      request, error)
  call MPI_Wait(request, MPI_STATUS_IGNORE, error)
  failures = count(s /= exact(.false.))
  s = 0
  call MPI_Ireduce_scatter_block(wide, s, n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, &
      request, error)
  call MPI_Wait(request, status, error)
  failures = failures + count(s /= exact(.false.))
  call report('non-blocking reduce_scatter')

  call MPI_Allreduce(rank, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  if (total /= nproc * (nproc - 1) / 2) failures = failures + 1
  call MPI_Allreduce(dble(rank), s, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, error)
  if (s(1) /= nproc - 1) failures = failures + 1
  call MPI_Irecv(block, 1, MPI_INTEGER, modulo(rank - 1, nproc), 7, MPI_COMM_WORLD, request, error)
  call MPI_Send(rank, 1, MPI_INTEGER, modulo(rank + 1, nproc), 7, MPI_COMM_WORLD, error)
  call MPI_Wait(request, status, error)
  if (block /= modulo(rank - 1, nproc) .or. status FIELD(MPI_SOURCE) /= block .or. status FIELD(MPI_TAG) /= 7) &
      failures = failures + 1
  call report('other calls')
  call MPI_Finalize(error)

contains

  double precision function term(r)
    integer, intent(in) :: r
    term = merge(2d0**60, merge(1d0, -2d0**60, modulo(r, 3) == 1), modulo(r, 3) == 0)
  end function

  ! The sum over all ranks: integers, exactly representable in two parts.
  double precision function exact(single)
    logical, intent(in) :: single
    integer :: n_ones, n_big, r
    n_ones = 0
    n_big = 0
    do r = 0, nproc - 1
      n_ones = n_ones + merge(1, 0, modulo(r, 3) == 1)
      n_big = n_big + merge(1, 0, modulo(r, 3) == 0) - merge(1, 0, modulo(r, 3) == 2)
    end do
    exact = n_big * 2d0**60 + n_ones
    if (single) exact = dble(real(exact))
  end function

  subroutine fill()
    failures = 0
    x = term(rank)
    y = real(term(rank))
    wide = term(rank)
  end subroutine

  subroutine start(r, kind)
    REQUEST, intent(out) :: r
    integer, intent(in) :: kind
    if (kind == 1) then
      call fill_keeping_failures()
      call MPI_Iallreduce(x, s, n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, r, error)
    else if (kind == 2) then
      call MPI_Iallreduce(y, t, n, MPI_REAL, MPI_SUM, MPI_COMM_WORLD, r, error)
    else
      call MPI_Ireduce(x, wide, n, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD, r, error)
    end if
  end subroutine

  subroutine fill_keeping_failures()
    integer :: kept
    kept = failures
    call fill()
    failures = kept
    s = 0
    t = 0
  end subroutine

  subroutine complete(way)
    integer, intent(in) :: way
    integer :: left
    left = 3
    flag = .false.
    select case (way)
    case (1)
      call MPI_Waitall(4, requests, MPI_STATUSES_IGNORE, error)
    case (2)
      call MPI_Waitall(4, requests, statuses, error)
    case (3)
      do left = 1, 3
        call MPI_Waitany(4, requests, index, status, error)
      end do
    case (4)
      do while (left > 0)
        call MPI_Waitsome(4, requests, done, indices, MPI_STATUSES_IGNORE, error)
        left = left - done
      end do
    case (5)
      do while (left > 0)
        call MPI_Test(requests(left), flag, MPI_STATUS_IGNORE, error)
        if (flag) left = left - 1
      end do
    case (6)
      do while (.not. flag)
        call MPI_Testall(4, requests, flag, MPI_STATUSES_IGNORE, error)
      end do
    case (7)
      do while (left > 0)
        call MPI_Testany(4, requests, index, flag, MPI_STATUS_IGNORE, error)
        if (flag) left = left - 1
      end do
    case (8)
      do while (left > 0)
        call MPI_Testsome(4, requests, done, indices, statuses, error)
        left = left - done
      end do
    case default
      do while (.not. flag)
        call MPI_Request_get_status(requests(1), flag, status, error)
      end do
      if (any(s /= exact(.false.))) failures = failures + 1
      call MPI_Waitall(3, requests, statuses, error)
    end select
  end subroutine

  subroutine report(name)
    character(*), intent(in) :: name
    call MPI_Allreduce(failures, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
    number = number + 1
    if (rank == 0) print '(a, a, i0, a, a)', trim(merge('ok    ', 'not ok', total == 0)), ' ', number, &
        ' - ', name
    failures = 0
  end subroutine

end program
