! A small ocean: shallow water in a closed basin on a part of the sphere, the free surface implicit: each time step solves for it
! by conjugate gradients. The model runs twice. In one run MPI_Allreduce adds up dot products, mass and energy; in the other ExBLAS
! does, and the whole history is the same for any number of processes and any grid of them. A line has the iterations of all time
! steps, the last energy, and a hash of all residuals, masses and energies of both.
!
!   mpifort -O2 $(pkg-config --variable=fortran exblas-mpi) ocean.f90 $(pkg-config --libs exblas-mpi) -o ocean
!   for n in 1 2 3 4 6 7; do mpirun -n $n ./ocean; done        (./ocean 1: a grid of one process from west to east)
program ocean
    use mpi_f08
    use exblas
    use exblas_mpi
    implicit none
    integer, parameter :: r8 = c_double, nx = 96, ny = 60, n_steps = 12
    real(r8), parameter :: gravity = 9.81_r8, dt = 600, dx = 5e4_r8
    type :: outcome
        integer :: n_iterations = 0
        integer(c_int64_t) :: history = 0
        real(r8) :: mass, energy
    end type outcome
    type(MPI_Comm) :: comm
    type(outcome) :: plain, exact
    integer :: rank, n_ranks, grid(2), place(2), west, east, south, north, i0, j0, m, n
    real(r8), allocatable :: area(:,:), eta(:,:), u(:,:), v(:,:), eastward(:,:), northward(:,:)
    call MPI_Init()
    call decompose()
    plain = run(.false.)
    exact = run(.true.)
    if (rank == 0) then
        if (n_ranks == 1) print '(2a)', 'ranks grid  MPI_Allreduce: iterations, energy, history     ', &
            'ExBLAS: iterations, energy, history'
        print '(i5, i3, a, i0, 2(i7, es24.16, 1x, z16.16))', n_ranks, grid(1), 'x', grid(2), plain%n_iterations, &
            plain%energy, plain%history, exact%n_iterations, exact%energy, exact%history
    end if
    call MPI_Finalize()
contains
    subroutine decompose()
        character(8) :: argument
        integer :: length
        call MPI_Comm_size(MPI_COMM_WORLD, n_ranks)
        grid = 0
        call get_command_argument(1, argument, length)
        if (length > 0) read (argument, *) grid(1)
        call MPI_Dims_create(n_ranks, 2, grid)
        call MPI_Cart_create(MPI_COMM_WORLD, 2, grid, [.false., .false.], .false., comm)
        call MPI_Comm_rank(comm, rank)
        call MPI_Cart_coords(comm, rank, 2, place)
        call MPI_Cart_shift(comm, 0, 1, west, east)
        call MPI_Cart_shift(comm, 1, 1, south, north)
        i0 = nx * place(1) / grid(1)
        j0 = ny * place(2) / grid(2)
        m = nx * (place(1) + 1) / grid(1) - i0
        n = ny * (place(2) + 1) / grid(2) - j0
    end subroutine decompose

    ! Where the water is as deep as between cells i and i + 1 (or j and j + 1) of the whole basin; 0 at its walls.
    real(r8) function depth(i, j, along)
        integer, intent(in) :: i, j, along
        logical :: is_wall
        is_wall = merge(i == 0 .or. i == nx, j == 0 .or. j == ny, along == 1)
        depth = merge(0._r8, 4000 - 3000 * bump(i - 60, j - 25, 200), is_wall)
    end function depth

    ! Without exp and cos, which compilers take from two libraries, for single numbers and for vectors.
    real(r8) function bump(i, j, size)
        integer, intent(in) :: i, j, size
        bump = 1 / (1 + (i * i + j * j) / real(size, r8)) ** 2
    end function bump

    ! Of a cell or face at a latitude, by its width at the equator.
    real(r8) function width(j)
        real(r8), intent(in) :: j
        width = 1 - (0.01_r8 * j) ** 2 / 2
    end function width

    ! At rest under a bump of the surface. Arrays have a frame of the neighbours' cells.
    subroutine start()
        integer :: i, j
        allocate (area(m, n), eta(0:m + 1, 0:n + 1), u(0:m, n), v(m, 0:n), eastward(0:m, n), northward(m, 0:n))
        eta = reshape([((bump(i + i0 - 20, j + j0 - 40, 50), i=0, m + 1), j=0, n + 1)], [m + 2, n + 2])
        area = reshape([((dx * dx * width(j + j0 - 0.5_r8), i=1, m), j=1, n)], [m, n])
        eastward = reshape([((depth(i + i0, j + j0, 1), i=0, m), j=1, n)], [m + 1, n])
        northward = reshape([((depth(i + i0, j + j0, 2) * width(real(j + j0, r8)), i=1, m), j=0, n)], [m, n + 1])
        u = 0
        v = 0
    end subroutine start

    subroutine exchange(x)
        real(r8), intent(inout) :: x(0:, 0:)
        real(r8) :: column(n), row(m)
        column = x(0, 1:n)
        call MPI_Sendrecv([x(m, 1:n)], n, MPI_REAL8, east, 0, column, n, MPI_REAL8, west, 0, comm, MPI_STATUS_IGNORE)
        x(0, 1:n) = column
        column = x(m + 1, 1:n)
        call MPI_Sendrecv([x(1, 1:n)], n, MPI_REAL8, west, 1, column, n, MPI_REAL8, east, 1, comm, MPI_STATUS_IGNORE)
        x(m + 1, 1:n) = column
        row = x(1:m, 0)
        call MPI_Sendrecv([x(1:m, n)], m, MPI_REAL8, north, 2, row, m, MPI_REAL8, south, 2, comm, MPI_STATUS_IGNORE)
        x(1:m, 0) = row
        row = x(1:m, n + 1)
        call MPI_Sendrecv([x(1:m, 1)], m, MPI_REAL8, south, 3, row, m, MPI_REAL8, north, 3, comm, MPI_STATUS_IGNORE)
        x(1:m, n + 1) = row
    end subroutine exchange

    ! area x - gravity dt^2 div(depth grad x)
    function helmholtz(x) result(y)
        real(r8), intent(inout) :: x(0:, 0:)
        real(r8) :: y(m, n), flux(0:m, n), flow(m, 0:n)
        call exchange(x)
        flux = eastward * (x(1:m + 1, 1:n) - x(0:m, 1:n))
        flow = northward * (x(1:m, 1:n + 1) - x(1:m, 0:n))
        y = area * x(1:m, 1:n) - gravity * dt * dt * (flux(1:m, :) - flux(0:m - 1, :) + flow(:, 1:n) - flow(:, 0:n - 1))
    end function helmholtz

    real(r8) function dot(x, y, is_exact)
        real(r8), intent(in) :: x(:,:), y(:,:)
        logical, intent(in) :: is_exact
        if (is_exact) then
            dot = exblas_global_dot(x, y, comm)
        else
            call MPI_Allreduce(sum(x * y), dot, 1, MPI_REAL8, MPI_SUM, comm)
        end if
    end function dot

    ! A b for the surface, by conjugate gradients from the old one.
    subroutine solve(b, is_exact, o)
        real(r8), intent(in) :: b(:,:)
        logical, intent(in) :: is_exact
        type(outcome), intent(inout) :: o
        real(r8) :: r(m, n), p(0:m + 1, 0:n + 1), q(m, n), rr, before, step, least
        r = b - helmholtz(eta)
        p = 0
        p(1:m, 1:n) = r
        rr = dot(r, r, is_exact)
        least = 1e-24_r8 * dot(b, b, is_exact)
        do while (rr > least)
            q = helmholtz(p)
            step = rr / dot(p(1:m, 1:n), q, is_exact)
            eta(1:m, 1:n) = eta(1:m, 1:n) + step * p(1:m, 1:n)
            r = r - step * q
            before = rr
            rr = dot(r, r, is_exact)
            p(1:m, 1:n) = r + (rr / before) * p(1:m, 1:n)
            o%n_iterations = o%n_iterations + 1
            call remember(o, rr)
        end do
        call exchange(eta)
    end subroutine solve

    subroutine remember(o, x)
        type(outcome), intent(inout) :: o
        real(r8), intent(in) :: x
        o%history = ieor(ishftc(o%history, 5), transfer(x, o%history))
    end subroutine remember

    type(outcome) function run(is_exact) result(o)
        logical, intent(in) :: is_exact
        real(r8) :: ones(m, n), kinetic(m, n)
        integer :: step
        call start()
        ones = 1
        do step = 1, n_steps
            call solve(area * eta(1:m, 1:n) - dt * dx * (eastward(1:m, :) * u(1:m, :) - eastward(0:m - 1, :) * u(0:m - 1, :) &
                + northward(:, 1:n) * v(:, 1:n) - northward(:, 0:n - 1) * v(:, 0:n - 1)), is_exact, o)
            u = u - gravity * dt / dx * (eta(1:m + 1, 1:n) - eta(0:m, 1:n))
            v = v - gravity * dt / dx * (eta(1:m, 1:n + 1) - eta(1:m, 0:n))
            kinetic = dx * dx * (eastward(1:m, :) * u(1:m, :) ** 2 + northward(:, 1:n) * v(:, 1:n) ** 2)
            o%mass = dot(area, eta(1:m, 1:n), is_exact)
            o%energy = 0.5_r8 * dot(ones, kinetic + gravity * area * eta(1:m, 1:n) ** 2, is_exact)
            call remember(o, o%mass)
            call remember(o, o%energy)
        end do
        deallocate (area, eta, u, v, eastward, northward)
    end function run
end program ocean
