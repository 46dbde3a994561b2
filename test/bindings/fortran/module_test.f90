! The Fortran module: exact results in both integer sizes, real and complex, with options; accumulators.
program module_test
    use exblas
    implicit none
    real(c_double) :: x(3) = [1d17, 1d0, -1d17], y(3) = 1, c(1, 1)
    complex(c_double_complex) :: p(1) = (1d0, 2d0), q(1) = (3d0, 4d0)
    real(c_double) :: a(2, 2) = reshape([3d0, 0d0, 1d0, 4d0], [2, 2]), b(2) = [1d0, 2d0], s(2)
    real(c_double) :: tall(3, 1) = 1
    type(exblas_solution) :: info
    integer(c_int) :: status(2)
    type(exblas_accumulator) :: sum, other
    integer(c_int8_t) :: bytes(exblas_acc_bytes)
    character(80) :: why
    real(c_float) :: single
    logical :: passed
    print '(a)', '1..11'
    call check(1, 'dot', exddot(3, x, 1, y, 1) == 1)
    call check(2, 'dot with 64-bit integers', exddot_64(3_c_int64_t, x, 1_c_int64_t, y, 1_c_int64_t) == 1)
    call check(3, 'complex dot', exzdotc(1, p, 1, q, 1) == (11d0, -2d0))
    call exdgemm('T', 'N', 1, 1, 3, 1d0, x, 3, y, 3, 0d0, c, 1)
    passed = c(1, 1) == 1
    call check(4, 'gemm', passed)
    status(1) = exblas_dgesv(2, 1, a, 2, b, 2, s, 2, info)
    passed = status(1) == exblas_ok .and. all(s == [1d0 / 6, 0.5d0]) .and. info%n_terms > 0
    call check(5, 'solution', passed)
    status(1) = exblas_dgels_64(3_c_int64_t, 1_c_int64_t, 1_c_int64_t, tall, 3_c_int64_t, [1d0, 2d0, 6d0], &
        3_c_int64_t, s, 1_c_int64_t)
    call check(6, 'least squares with 64-bit integers', status(1) == exblas_ok .and. s(1) == 3)
    a(1, 1) = 0
    status = [exblas_dgesv(2, 1, a, 2, b, 2, s, 2), exblas_dposv(122, 2, 1, a, 2, b, 2, s, 2)]
    call check(7, 'no solution', all(status == [exblas_esingular, exblas_eindefinite]))
    sum = 1d17
    call sum%add([1d0, 2d0**(-60)])
    call other%add(reshape([1e8, 3e0], [2, 1]), reshape([-1e9, 1e0], [2, 1]))
    call other%add(2d0**(-30), 2d0**(-30))
    call sum%merge(other)
    call check(8, 'an accumulator of numbers, arrays and products', sum%value() == 4)
    s(1) = sum + (-4d0)
    single = 2e0**(-22) + sum
    call check(9, 'keeps what rounding would lose', s(1) == 2d0**(-59) .and. single == nearest(4e0, 1e0))
    bytes = sum%bytes()
    call other%from_bytes(bytes, status(1))
    passed = status(1) == exblas_ok .and. all(other%bytes() == bytes)
    sum = 0e0
    other = sum + other
    call check(10, 'bytes, numbers, sums', passed .and. sum%value() == 0 .and. all(other%bytes() == bytes))
    call sum%from_bytes(bytes(2:), status(1), why)
    call sum%add(x, y(2:), status(2))
    call check(11, 'what it refuses', all(status == [exblas_eformat, exblas_einval]) .and. sum%value() == 0 &
        .and. why == 'exblas_accumulator%from_bytes: these are not the bytes of an accumulator')
contains
    subroutine check(number, title, is_right)
        integer, intent(in) :: number
        character(*), intent(in) :: title
        logical, intent(in) :: is_right
        print '(a, i0, 2a)', merge('ok     ', 'not ok ', is_right), number, ' - ', title
    end subroutine check
end program module_test
