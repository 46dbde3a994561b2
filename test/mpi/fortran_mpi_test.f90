! exblas_mpi: thirty decompositions of fields, with NaN, infinities and processes without elements, give the bits of the serial
! routines; what is wrong on one process is told on all.
program fortran_mpi_test
    use mpi_f08
    use exblas
    use exblas_mpi
    implicit none
    integer, parameter :: nx = 23, ny = 17, n_fields = 4, n_decompositions = 30
    real(c_double) :: field(nx, ny, n_fields), weight(nx, ny)
    real(16) :: exact
    integer(c_int64_t) :: number(nx, ny)
    logical :: mask(nx, ny)
    integer :: rank, n_ranks, i, n_tests = 0, cut(4)
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, n_ranks)
    if (command_argument_count() > 0) print *, exblas_global_sum([1d0], mask=[.true., .true.]) ! it stops
    call make_fields()
    if (rank == 0) print '(a)', '1..38'
    do i = 1, n_decompositions
        call draw_cuts(i)
        call test_blocks(field(cut(1):cut(2), cut(3):cut(4), :), weight(cut(1):cut(2), cut(3):cut(4)), &
            mask(cut(1):cut(2), cut(3):cut(4)), number(cut(1):cut(2), cut(3):cut(4)), i)
    end do
    call test_communicators()
    call test_refusals()
    call MPI_Finalize()
contains
    subroutine check(title, is_right)
        character(*), intent(in) :: title
        logical, intent(in) :: is_right
        logical :: all_right
        call MPI_Allreduce(is_right, all_right, 1, MPI_LOGICAL, MPI_LAND, MPI_COMM_WORLD)
        n_tests = n_tests + 1
        if (rank == 0) print '(a, i0, 2a)', merge('ok     ', 'not ok ', all_right), n_tests, ' - ', title
    end subroutine check

    ! The same on all processes: ordinary numbers that cancel; numbers of every size; NaN; infinities.
    subroutine make_fields()
        integer(c_int64_t) :: state
        integer :: i, j, f
        state = 1
        do j = 1, ny
            do i = 1, nx
                do f = 1, n_fields
                    state = modulo(state * 48271, 2147483647_c_int64_t)
                    field(i, j, f) = merge(-1, 1, modulo(i + j, 2) == 0) * (1d6 + state * 2d0**(-31))
                end do
                field(i, j, 2) = scale(field(i, j, 2), int(modulo(state, 1800_c_int64_t)) - 900)
                weight(i, j) = modulo(state, 1021_c_int64_t) * 2d0**(-10)
                mask(i, j) = modulo(state, 3_c_int64_t) > 0
                number(i, j) = i + nx * (j - 1)
            end do
        end do
        field(5, 7, 3) = transfer(9221120237041090560_c_int64_t, 0d0)
        field(3, 2, 4) = transfer(9218868437227405312_c_int64_t, 0d0)
        field(nx, ny, 1) = field(2, 1, 1) ! a minimum or maximum twice
    end subroutine make_fields

    ! What this process has: columns, rows or blocks of a grid of processes, cut at random; some have nothing.
    subroutine draw_cuts(seed)
        integer, intent(in) :: seed
        integer :: p, q
        p = merge(1, merge(n_ranks, 2, modulo(seed, 3) == 1), modulo(seed, 3) == 0 .or. modulo(n_ranks, 2) == 1)
        q = n_ranks / p
        cut = [cut_at(modulo(rank, p), p, nx, seed) + 1, cut_at(modulo(rank, p) + 1, p, nx, seed), &
            cut_at(rank / p, q, ny, seed) + 1, cut_at(rank / p + 1, q, ny, seed)]
    end subroutine draw_cuts

    integer function cut_at(place, parts, n, seed)
        integer, intent(in) :: place, parts, n, seed
        cut_at = n * place / parts
        if (place == 0 .or. place == parts) return
        cut_at = min(n, max(0, cut_at + modulo(seed * 7919, 9) - 4))
        if (seed > 20) cut_at = merge(0, n, place <= parts / 2)
    end function cut_at

    logical function same(x, y)
        real(c_double), intent(in) :: x, y
        same = transfer(x, 0_c_int64_t) == transfer(y, 0_c_int64_t)
    end function same

    subroutine test_blocks(x, w, m, at, seed)
        real(c_double), intent(in) :: x(:,:,:), w(:,:)
        logical, intent(in) :: m(:,:)
        integer(c_int64_t), intent(in) :: at(:,:)
        integer, intent(in) :: seed
        real(c_double) :: sums(n_fields), masked(n_fields), weighted(n_fields), value
        real(c_float) :: single
        type(exblas_accumulator) :: acc(n_fields)
        integer(c_int64_t) :: place
        integer :: f
        character(16) :: number_of_it
        logical :: passed
        sums = exblas_global_sums(x)
        masked = exblas_global_sums(x, mask=m)
        weighted = exblas_global_sums(x, MPI_COMM_WORLD, m, w)
        passed = .true.
        do f = 1, n_fields
            passed = passed .and. same(sums(f), exblas_sum(field(:,:,f))) .and. same(sums(f), exblas_global_sum(x(:,:,f)))
            passed = passed .and. same(masked(f), exblas_sum(field(:,:,f), mask))
            passed = passed .and. same(weighted(f), exblas_dot_product(field(:,:,f), weight, mask))
            call acc(f)%add(x(:,:,f))
        end do
        passed = passed .and. same(exblas_global_sum(x), exblas_sum(field))
        passed = passed .and. same(exblas_global_dot(x(:,:,1), x(:,:,4), mask=m), exblas_dot_product(field(:,:,1), &
            field(:,:,4), mask))
        exact = sum(real(field(:,:,1), 16) * weight, mask) / sum(real(weight, 16), mask)
        passed = passed .and. same(exblas_global_mean(x(:,:,1), mask=m, weight=w), real(exact, c_double))
        single = exblas_global_mean(real(x(:,:,1), c_float))
        passed = passed .and. single == real(sum(real(real(field(:,:,1), c_float), 16)) / (nx * ny), c_float)
        passed = passed .and. same(exblas_global_mean(x(:,:,3)), sums(3)) .and. same(exblas_global_mean(x(:,:,4)), sums(4))
        passed = passed .and. all(exblas_global_means(x(:,:,:2)) == [exblas_global_mean(x(:,:,1)), exblas_global_mean(x(:,:,2))])
        call exblas_global_merge(acc)
        passed = passed .and. same(acc(2)%value(), sums(2))
        call exblas_global_maxloc(x(:,:,1), value, place, index=at)
        passed = passed .and. same(value, maxval(field(:,:,1))) .and. &
            place == minval(number, field(:,:,1) >= maxval(field(:,:,1)))
        call exblas_global_minloc(x(:,:,2), value, place, mask=m, index=at)
        passed = passed .and. same(value, minval(field(:,:,2), mask)) .and. &
            place == minval(number, field(:,:,2) <= minval(field(:,:,2), mask))
        call exblas_global_minloc(x(:,:,3), value, place, index=at)
        passed = passed .and. same(value, field(5, 7, 3)) .and. place == number(5, 7)
        call exblas_global_maxloc(x(:,:,4), value, place, MPI_COMM_WORLD%MPI_VAL, mask=.not. (m .or. .true.))
        write (number_of_it, '(i0)') seed
        call check('decomposition ' // trim(number_of_it), passed .and. value < -huge(value) .and. place == 0)
    end subroutine test_blocks

    subroutine test_communicators()
        type(MPI_Comm) :: half
        real(c_double), allocatable :: x(:)
        integer(c_int64_t) :: place
        real(c_double) :: value
        integer :: n_here
        call MPI_Comm_split(MPI_COMM_WORLD, modulo(rank, 2), 0, half)
        call MPI_Comm_size(half, n_here)
        call check('a part of the processes', exblas_global_sum([1d0], half) == n_here)
        call check('an integer communicator', exblas_global_sum([1d16, 1d0, -1d16], half%MPI_VAL) == n_here)
        x = [2d0**53, 1d0, 0d0]
        if (rank > 0) x = x(:0)
        call check('a mean rounded once', exblas_global_mean(x) == 3002399751580331d0 .and. &
            exblas_global_mean(x, weight=x**0) == 3002399751580331d0)
        call exblas_global_minloc([-1d0 * rank, 0d0], value, place)
        call check('numbered in the order of ranks', value == 1 - n_ranks .and. place == 2 * n_ranks - 1)
        call MPI_Comm_free(half)
    end subroutine test_communicators

    subroutine test_refusals()
        real(c_double) :: x(2, 2), value
        real(c_double), allocatable :: none(:,:), sums(:)
        logical, allocatable :: m(:,:)
        integer(c_int64_t) :: place
        integer :: stat(4)
        character(100) :: errmsg
        x = 1
        allocate (none(0, 1000001))
        allocate (m(2, merge(3, 2, rank == n_ranks - 1)), source=.true.)
        value = exblas_global_sum(x, mask=m, stat=stat(1), errmsg=errmsg)
        if (rank == n_ranks - 1) then
            call check('a mask that does not fit', all(stat(:1) == exblas_einval) .and. value /= value .and. &
                errmsg == 'exblas_global_sum: x has the shape (2,2), mask (2,3)')
        else
            call check('a mask that does not fit', all(stat(:1) == exblas_einval) .and. value /= value .and. &
                errmsg == 'exblas_global_sum: an argument is wrong on another process')
        end if
        call exblas_global_minloc(x, value, place, mask=m, stat=stat(1))
        value = exblas_global_sum(x, MPI_COMM_NULL, stat=stat(2), errmsg=errmsg)
        call check('no communicator', all(stat(:2) == exblas_einval) .and. value /= value .and. &
            errmsg == 'exblas_global_sum: comm must be an intracommunicator that this process belongs to')
        deallocate (m)
        allocate (m(0, 0))
        none(:, :3) = reshape(exblas_global_sums(none, stat=stat(3), errmsg=errmsg), [0, 3])
        call check('too many fields', stat(3) == exblas_einval .and. size(none, 2) == 1000001 .and. &
            errmsg == 'exblas_global_sums: more than 1000000 fields; use several calls')
        deallocate (none)
        allocate (none(0, merge(1000001, 1, rank == 0)))
        allocate (sums(size(none, 2)))
        sums = exblas_global_sums(none, stat=stat(4), errmsg=errmsg)
        call check('too many fields on one process', stat(4) == exblas_einval .and. errmsg == 'exblas_global_sums: ' // &
            merge('more than 1000000 fields; use several calls', 'an argument is wrong on another process    ', rank == 0))
    end subroutine test_refusals
end program fortran_mpi_test
