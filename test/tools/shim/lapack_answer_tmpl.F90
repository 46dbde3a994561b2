! What numpy.linalg computes, by the LAPACK calls that it makes: hashes of each function's
! results, to be compared with lapack_answer.py's. Problems and types are lapack_golden_tmpl.F90's.
#include "lapack_golden_tmpl.F90"

module NAME(answer)
    use NAME(golden)
    implicit none
    integer, parameter :: orders(4) = [5, 30, 100, 300]
    integer(8), parameter :: factor = 6364136223846793005_8
    integer(8) :: answer
    NUMBER, parameter :: one = 1, zero = 0
    integer :: size_of_work

contains

    ! NumPy gives as much work space as LAPACK asks for, which can mean blocks smaller than with more;
    ! lapack_answer.py gives single precision more. To be called until it is false.
    logical function again()
        again = size_of_work == -1
        if (KIND == 8 .and. again) size_of_work = int(real(work(1), KIND))
        if (KIND == 4 .and. again) size_of_work = room
    end function

    ! A polynomial in `factor` of the bits of all numbers, modulo 2^64.
    subroutine absorb_real(x)
        real(KIND), intent(in) :: x
        answer = answer * factor + iand(int(transfer(x, int(0, KIND)), 8), ishft(-1_8, 8 * KIND - 64))
    end subroutine

    subroutine absorb_reals(x, n)
        integer, intent(in) :: n
        real(KIND), intent(in) :: x(n)
        integer :: i
        do i = 1, n
            call absorb_real(x(i))
        end do
    end subroutine

    subroutine absorb_complex(x)
        complex(KIND), intent(in) :: x
        call absorb_real(real(x, KIND))
        call absorb_real(aimag(x))
    end subroutine

    subroutine absorb(x, rows, columns)
        NUMBER, intent(in) :: x(most, *)
        integer, intent(in) :: rows, columns
        integer :: i, j
        do j = 1, columns
            do i = 1, rows
                call absorb_number(x(i, j))
            end do
        end do
    end subroutine

    subroutine absorb_number(x)
        NUMBER, intent(in) :: x
#ifdef IS_COMPLEX
        call absorb_complex(x)
#else
        call absorb_real(x)
#endif
    end subroutine

    ! b = A^-1.
    subroutine invert(n)
        integer, intent(in) :: n
        integer :: i
        c = 0
        do i = 1, n
            c(i, i) = 1
        end do
        call NAME(gesv)(n, n, a, most, pivot, c, most, info)
        call absorb(c, n, n)
    end subroutine

    subroutine factor_definite(n)
        integer, intent(in) :: n
        integer :: j
        call NAME(potrf)('L', n, h, most, info)
        do j = 2, n
            h(:j - 1, j) = 0
        end do
        call absorb(h, n, n)
    end subroutine

    ! Q and R of the first k columns.
    subroutine factor_orthogonal(n, k)
        integer, intent(in) :: n, k
        integer :: j
        call NAME(geqrf)(n, k, a, most, tau, work, room, info)
        c = 0
        do j = 1, k
            c(:j, j) = a(:j, j)
        end do
        call ORGQR(n, k, k, a, most, tau, work, room, info)
        call absorb(a, n, k)
        call absorb(c, k, k)
    end subroutine

    subroutine fit(n, k)
        integer, intent(in) :: n, k
        size_of_work = -1
        do
            call NAME(gelsd)(n, k, 3, a, most, b, most, w, real(-1, KIND), count, work, size_of_work, &
                             ONLY_COMPLEX(rwork) iwork, info)
            if (.not. again()) exit
        end do
        call absorb(b, k, 3)
        call absorb_reals(w, k)
    end subroutine

    ! How many singular vectors says `job`: A, S or N.
    subroutine take_apart(job, n, k)
        character, intent(in) :: job
        integer, intent(in) :: n, k
        size_of_work = -1
        do
            call NAME(gesdd)(job, n, k, a, most, w, c, most, d, most, work, size_of_work, &
                             ONLY_COMPLEX(rwork) iwork, info)
            if (.not. again()) exit
        end do
    end subroutine

    ! numpy.linalg.pinv: of conj(A) = U S V', V S^-1 U'.
    subroutine invert_pseudo(n, k)
        integer, intent(in) :: n, k
        integer :: i, j
#ifdef IS_COMPLEX
        a = conjg(a)
#endif
        call take_apart('S', n, k)
        do j = 1, k
            do i = 1, n
                c(i, j) = c(i, j) * NUMBER_OF(1 / w(j))
            end do
        end do
        call NAME(gemm)('T', 'T', k, n, k, one, d, most, c, most, zero, a, most)
        call absorb(a, k, n)
    end subroutine

    subroutine find_hermitian_eigenpairs(n)
        integer, intent(in) :: n
        size_of_work = -1
        do
            call SYEVD('V', 'L', n, h, most, w, work, size_of_work, ONLY_COMPLEX(rwork) ONLY_COMPLEX(room) &
                       iwork, room, info)
            if (.not. again()) exit
        end do
        call absorb_reals(w, n)
        call absorb(h, n, n)
    end subroutine

    subroutine find_eigenpairs(n)
        integer, intent(in) :: n
        integer :: i, j
        complex(KIND) :: x(most, 2)
#ifdef IS_COMPLEX
        call NAME(geev)('N', 'V', n, a, most, tau, c, most, d, most, work, room, rwork, info)
        call absorb(tau, n, 1)
        call absorb(d, n, n)
#else
        call NAME(geev)('N', 'V', n, a, most, w, wi, c, most, d, most, work, room, info)
        do i = 1, n
            call absorb_complex(cmplx(w(i), wi(i), KIND))
        end do
        j = 1
        do while (j <= n)
            if (wi(j) == 0) then
                x(:n, 1) = cmplx(d(:n, j), 0, KIND)
            else
                x(:n, 1) = cmplx(d(:n, j), d(:n, j + 1), KIND)
                x(:n, 2) = cmplx(d(:n, j), -d(:n, j + 1), KIND)
            end if
            do i = 1, merge(n, 2 * n, wi(j) == 0)
                call absorb_complex(x(1 + mod(i - 1, n), 1 + (i - 1) / n))
            end do
            j = j + merge(1, 2, wi(j) == 0)
        end do
#endif
    end subroutine

    ! As scipy.linalg.det. That of numpy.linalg takes logarithms, which are the C library's.
    subroutine find_determinant(n)
        integer, intent(in) :: n
        NUMBER :: product
        integer :: i
        a(:n, :n) = a(:n, :n) / 8
        call NAME(getrf)(n, n, a, most, pivot, info)
        product = 1
        do i = 1, n
            if (pivot(i) /= i) product = -product
        end do
        do i = 1, n
            product = product * a(i, i)
        end do
        call absorb_number(product)
    end subroutine

    subroutine compute(what, n)
        character(*), intent(in) :: what
        integer, intent(in) :: n
        integer :: k
        k = (n + 1) / 2
        select case (what)
        case ('solve')
            call NAME(gesv)(n, 3, a, most, pivot, b, most, info)
            call absorb(b, n, 3)
        case ('inv')
            call invert(n)
        case ('cholesky')
            call factor_definite(n)
        case ('qr')
            call factor_orthogonal(n, k)
        case ('lstsq')
            call fit(n, k)
        case ('svd')
            call take_apart('A', n, n)
            call absorb(c, n, n)
            call absorb_reals(w, n)
            call absorb(d, n, n)
        case ('eigh')
            call find_hermitian_eigenpairs(n)
        case ('eig')
            call find_eigenpairs(n)
        case ('det')
            call find_determinant(n)
        case ('pinv')
            call invert_pseudo(n, k)
        case ('cond')
            call take_apart('N', n, n)
            call absorb_real(w(1) / w(n))
        end select
    end subroutine
end module

subroutine NAME(answer_all)(largest)
    use NAME(answer)
    integer, intent(in) :: largest
    character(8), parameter :: what(11) = [character(8) :: 'solve', 'inv', 'cholesky', 'qr', 'lstsq', 'svd', &
                                           'eigh', 'eig', 'det', 'pinv', 'cond']
    integer :: i, j
    do i = 1, size(what)
        answer = 1
        do j = 1, size(orders)
            if (orders(j) > largest) exit
            call pose(orders(j))
            call compute(trim(what(i)), orders(j))
            print '(a, a, a, i0, 1x, z16.16)', letter, trim(what(i)), '-', orders(j), answer
        end do
    end do
end subroutine
