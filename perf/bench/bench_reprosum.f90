! exblas_global_sums against the fixed-point sum that climate models use: integers of several levels for each number, with a common
! exponent, two allreduces. Prints microseconds of a call, the least of several, taken in turns.
!
! Source: Mirin, Worley, "Improving the performance scalability of the Community Atmosphere Model", International Journal of High
! Performance Computing Applications 26 (2012), and the comments of shr_reprosum_mod.
program bench_reprosum
    use, intrinsic :: iso_fortran_env, only: r8 => real64, i8 => int64
    use mpi_f08
    use exblas_mpi
    implicit none
    integer :: rank, n_ranks
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, n_ranks)
    if (rank == 0) print '(a)', 'ranks elements fields  fixed point us  ExBLAS us  ratio'
    call compare(1000000, 1, 20)
    call compare(1000, 10, 200)
    call compare(100, 1, 500)
    call MPI_Finalize()
contains
    subroutine compare(n, n_fields, n_rounds)
        integer, intent(in) :: n, n_fields, n_rounds
        real(r8), allocatable :: x(:,:)
        real(r8) :: fixed(n_fields), exact(n_fields), least(2), start
        integer :: round
        allocate (x(n, n_fields))
        call random_number(x)
        x = (x - 0.5_r8) * 1e6_r8 * (1 + rank)
        least = huge(least)
        do round = 1, n_rounds
            call MPI_Barrier(MPI_COMM_WORLD)
            start = MPI_Wtime()
            call fixed_point_sums(x, fixed)
            least(1) = min(least(1), MPI_Wtime() - start)
            call MPI_Barrier(MPI_COMM_WORLD)
            start = MPI_Wtime()
            exact = exblas_global_sums(x)
            least(2) = min(least(2), MPI_Wtime() - start)
        end do
        if (any(abs(fixed - exact) > 2 * spacing(exact))) error stop 'the sums differ'
        if (rank == 0) print '(i5, i9, i7, f16.1, f11.1, f7.2)', n_ranks, n, n_fields, 1e6_r8 * least, least(2) / least(1)
    end subroutine compare

    subroutine fixed_point_sums(x, sums)
        real(r8), intent(in) :: x(:,:)
        real(r8), intent(out) :: sums(:)
        integer :: own(2 * size(x, 2) + 1), extreme(2 * size(x, 2) + 1), n_fields, shift, f, i
        integer, allocatable :: n_levels(:)
        integer(i8), allocatable :: part(:,:), whole(:,:)
        n_fields = size(x, 2)
        own = -huge(own)
        own(2 * n_fields + 1) = size(x, 1)
        do f = 1, n_fields
            do i = 1, size(x, 1)
                if (abs(x(i, f)) > 0) then
                    own(f) = max(own(f), exponent(x(i, f)))
                    own(n_fields + f) = max(own(n_fields + f), -exponent(x(i, f)))
                end if
            end do
        end do
        call MPI_Allreduce(own, extreme, size(own), MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD)
        ! Bits of a level that leave room for all numbers of a process, and for all processes.
        shift = digits(1_i8) - exponent(real(max(extreme(2 * n_fields + 1), n_ranks), r8)) - 1
        allocate (n_levels(n_fields))
        n_levels = 2 + (digits(1._r8) + extreme(:n_fields) + extreme(n_fields + 1:2 * n_fields)) / shift
        allocate (part(0:maxval(n_levels), n_fields), whole(0:maxval(n_levels), n_fields))
        part = 0
        do f = 1, n_fields
            do i = 1, size(x, 1)
                if (abs(x(i, f)) > 0) call add(x(i, f), extreme(f), shift, part(:, f))
            end do
            call carry(part(:, f), shift)
        end do
        call MPI_Allreduce(part, whole, size(part), MPI_INTEGER8, MPI_SUM, MPI_COMM_WORLD)
        do f = 1, n_fields
            call carry(whole(:, f), shift)
            sums(f) = 0
            do i = ubound(whole, 1), 0, -1
                sums(f) = sums(f) + scale(real(whole(i, f), r8), extreme(f) - shift * i)
            end do
        end do
    end subroutine fixed_point_sums

    ! The bits of x, from those at the largest exponent on.
    subroutine add(x, largest, shift, level)
        real(r8), intent(in) :: x
        integer, intent(in) :: largest, shift
        integer(i8), intent(inout) :: level(0:)
        integer :: at, i
        integer(i8) :: integer_part
        real(r8) :: rest
        i = (largest - exponent(x)) / shift + 1
        at = shift * i - (largest - exponent(x))
        rest = scale(fraction(x), at)
        do while (abs(rest) > 0)
            integer_part = int(rest, i8)
            level(i) = level(i) + integer_part
            rest = scale(rest - integer_part, shift)
            i = i + 1
        end do
    end subroutine add

    subroutine carry(level, shift)
        integer(i8), intent(inout) :: level(0:)
        integer, intent(in) :: shift
        integer(i8) :: up
        integer :: i
        do i = ubound(level, 1), 1, -1
            up = level(i) / 2_i8**shift
            level(i) = level(i) - up * 2_i8**shift
            level(i - 1) = level(i - 1) + up
        end do
    end subroutine carry
end program bench_reprosum
