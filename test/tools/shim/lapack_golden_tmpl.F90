! LAPACK's drivers for one type on fixed problems: a hash of each one's results, that every processor
! must give. TYPE_x says which; names are pasted as gfortran's traditional preprocessor can.

#define ID(x) x
#if defined(TYPE_s)
#define NAME(r) ID(s)r
#define LETTER 's'
#define KIND 4
#elif defined(TYPE_d)
#define NAME(r) ID(d)r
#define LETTER 'd'
#define KIND 8
#elif defined(TYPE_c)
#define NAME(r) ID(c)r
#define LETTER 'c'
#define KIND 4
#define IS_COMPLEX
#else
#define NAME(r) ID(z)r
#define LETTER 'z'
#define KIND 8
#define IS_COMPLEX
#endif

#ifndef MOST
#define MOST 100
#endif

#ifdef IS_COMPLEX
#define NUMBER complex(KIND)
#define NUMBER_OF(x) cmplx(x, 0, KIND)
#define ONLY_COMPLEX(x) x,
#define ONLY_REAL(x)
#define SYEVD NAME(heevd)
#define SYSV NAME(hesv)
#define ORGQR NAME(ungqr)
#define TRANSPOSED 'C'
#else
#define NUMBER real(KIND)
#define NUMBER_OF(x) (x)
#define ONLY_COMPLEX(x)
#define ONLY_REAL(x) x,
#define SYEVD NAME(syevd)
#define SYSV NAME(sysv)
#define ORGQR NAME(orgqr)
#define TRANSPOSED 'T'
#endif

module NAME(golden)
    implicit none
    integer, parameter :: most = MOST, sizes(5) = [1, 2, 7, 33, 100]
    integer, parameter :: room = 8 * most * most + 100 * most
    integer(8) :: hash, state
    NUMBER :: a(most, most), b(most, most), c(most, most), d(most, most), h(most, most), tau(most), work(room)
    real(KIND) :: w(most), wi(most), rwork(room)
    integer :: pivot(most), iwork(room), info, count
    logical :: chosen(most)
    character, parameter :: letter = LETTER

contains

    ! A multiple of 2^-20 in [-1, 1).
    real(KIND) function draw()
        state = iand(state * 1103515245_8 + 12345_8, 2147483647_8)
        draw = real(ishft(state, -10) - 1048576_8, KIND) / 1048576
    end function

    subroutine fill(x, rows, columns)
        NUMBER, intent(out) :: x(most, most)
        integer, intent(in) :: rows, columns
        integer :: i, j
        x = 0
        do j = 1, columns
            do i = 1, rows
#ifdef IS_COMPLEX
                x(i, j) = cmplx(draw(), draw(), KIND)
#else
                x(i, j) = draw()
#endif
            end do
        end do
    end subroutine

    ! A problem of order n: a general, h Hermitian and positive definite, b right-hand sides.
    subroutine pose(n)
        integer, intent(in) :: n
        integer :: i, j
        state = n
        call fill(a, n, n)
        call fill(b, n, 3)
        call fill(h, n, n)
        do j = 1, n
            h(j, j) = 2 * n + j
            do i = 1, j - 1
#ifdef IS_COMPLEX
                h(j, i) = conjg(h(i, j))
#else
                h(j, i) = h(i, j)
#endif
            end do
        end do
        work = 0
    end subroutine

    ! FNV-1a over the bits of a number, lowest byte first.
    subroutine mix(x)
        real(KIND), intent(in) :: x
        integer(8) :: bits
        integer :: i
        bits = transfer(x, int(0, KIND))
        do i = 0, 8 * KIND - 8, 8
            hash = ieor(hash, iand(ishft(bits, -i), 255_8)) * 1099511628211_8
        end do
    end subroutine

    subroutine take(x, rows, columns)
        NUMBER, intent(in) :: x(most, most)
        integer, intent(in) :: rows, columns
        integer :: i, j
        do j = 1, columns
            do i = 1, rows
                call mix(real(x(i, j), KIND))
#ifdef IS_COMPLEX
                call mix(aimag(x(i, j)))
#endif
            end do
        end do
    end subroutine

    subroutine take_reals(x, n)
        integer, intent(in) :: n
        real(KIND), intent(in) :: x(n)
        integer :: i
        do i = 1, n
            call mix(x(i))
        end do
    end subroutine

    subroutine solve(what, n)
        character(*), intent(in) :: what
        integer, intent(in) :: n
        select case (what)
        case ('gesv')
            call NAME(gesv)(n, 3, a, most, pivot, b, most, info)
        case ('getri')
            call NAME(getrf)(n, n, a, most, pivot, info)
            call NAME(getri)(n, a, most, pivot, work, room, info)
        case ('posv')
            call NAME(posv)('L', n, 3, h, most, b, most, info)
        case ('sysv')
            call SYSV('U', n, 3, h, most, pivot, b, most, work, room, info)
        case ('gels')
            call NAME(gels)(TRANSPOSED, n, (n + 1) / 2, 3, a, most, b, most, work, room, info)
        case ('gelsd')
            call NAME(gelsd)(n, (n + 1) / 2, 3, a, most, b, most, w, real(-1, KIND), count, work, room, &
                             ONLY_COMPLEX(rwork) iwork, info)
            call take_reals(w, (n + 1) / 2)
        end select
        call take(a, n, n)
        call take(h, n, n)
        call take(b, n, 3)
    end subroutine

    subroutine decompose(what, n)
        character(*), intent(in) :: what
        integer, intent(in) :: n
        w = 0
        c = 0
        d = 0
        wi = 0
        tau = 0
        select case (what)
        case ('geqrf')
            call NAME(geqrf)(n, n, a, most, tau, work, room, info)
            call take(a, n, n)
            call ORGQR(n, n, n, a, most, tau, work, room, info)
        case ('gesdd')
            call NAME(gesdd)('A', n, n, a, most, w, c, most, d, most, work, room, ONLY_COMPLEX(rwork) iwork, info)
        case ('gesvd')
            call NAME(gesvd)('A', 'A', n, n, a, most, w, c, most, d, most, work, room, ONLY_COMPLEX(rwork) info)
        case ('syevd')
            call SYEVD('V', 'L', n, h, most, w, work, room, ONLY_COMPLEX(rwork) ONLY_COMPLEX(room) &
                       iwork, room, info)
#ifdef IS_COMPLEX
        case ('geev')
            call NAME(geev)('V', 'V', n, a, most, tau, c, most, d, most, work, room, rwork, info)
        case ('gees')
            call NAME(gees)('V', 'N', 0, n, a, most, count, tau, c, most, work, room, rwork, chosen, info)
#else
        case ('geev')
            call NAME(geev)('V', 'V', n, a, most, w, wi, c, most, d, most, work, room, info)
        case ('gees')
            call NAME(gees)('V', 'N', 0, n, a, most, count, w, wi, c, most, work, room, chosen, info)
#endif
        end select
        if (what /= 'geev' .and. what /= 'gesdd' .and. what /= 'gesvd') call take(a, n, n)
        call take(h, n, n)
        call take(c, n, n)
        call take(d, n, n)
        call take_reals(w, n)
        call take_reals(wi, n)
    end subroutine

    subroutine print_hash(what, solves)
        character(*), intent(in) :: what
        logical, intent(in) :: solves
        integer :: i
        hash = -3750763034362895579_8
        do i = 1, size(sizes)
            call pose(sizes(i))
            if (solves) then
                call solve(what, sizes(i))
            else
                call decompose(what, sizes(i))
            end if
        end do
        print '(a, a, 1x, z16.16)', letter, what, hash
    end subroutine
end module

subroutine NAME(print_all)()
    use NAME(golden)
    character(5), parameter :: what(12) = [character(5) :: 'gesv', 'getri', 'posv', 'sysv', 'gels', 'gelsd', &
                                           'geqrf', 'gesdd', 'gesvd', 'syevd', 'geev', 'gees']
    integer :: i
    do i = 1, size(what)
        call print_hash(trim(what(i)), i <= 6)
    end do
end subroutine
