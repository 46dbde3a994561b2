! The interfaces of shr_reprosum_mod and MOM_coms: the sums of a whole field, from shares of it.
program fortran_climate_test
    use mpi_f08
    use exblas
    use shr_reprosum_mod
    use exblas_mom
    implicit none
    integer, parameter :: n = 40
    real(c_double) :: field(n, 6, 3), sums(3), rel(2, 3), largest(3), layers(3), nan
    integer :: rank, n_ranks, first, last, i, stats(6) = 0, levels(3), most, code, n_tests = 0
    type(EFP_type) :: whole
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, n_ranks)
    field = reshape([(merge(1d15, -1d15, modulo(i, 2) == 0) / i + 1d0 / 3, i=1, size(field))], shape(field))
    first = n * rank / n_ranks + 1
    last = n * (rank + 1) / n_ranks
    if (rank == 0) print '(a)', '1..8'
    call shr_reprosum_calc(columns(field(first:last, :, :)), sums, 6 * (last - first + 1), 6 * (last - first + 1), 3)
    call check('sums of fields', all(sums == exact()))
    call shr_reprosum_setopts(repro_sum_rel_diff_max_in=1d-30)
    call shr_reprosum_calc(columns(field(first:last, :, :)), sums, 6 * (last - first + 1), 6 * (last - first + 1), 3, &
        arr_gbl_max_out=largest, arr_max_levels_out=levels, gbl_max_nsummands_out=most, repro_sum_stats=stats, rel_diff=rel, &
        commid=MPI_COMM_WORLD%MPI_VAL)
    call check('what else is asked for', all(sums == exact()) .and. all(largest == [(maxval(abs(field(:,:,i))), i=1, 3)]) &
        .and. most == 6 * ((n + n_ranks - 1) / n_ranks) .and. all(stats == [1, 0, 0, 1, 0, 0]) .and. all(levels == 81))
    call check('differences', all(rel(2, :) >= 0) .and. (shr_reprosum_tolExceeded('test', 3, .false., 6, rel) .eqv. &
        any(rel(1, :) > 1d-30)))
    sums(1) = reproducing_sum(field(first:last, :, 1), EFP_sum=whole)
    call check('reproducing_sum', sums(1) == exblas_sum(field(:,:,1)) .and. EFP_to_real(whole) == sums(1))
    sums(1) = reproducing_sum(field(first:last, :, :), jsr=2, jer=5, sums=layers, unscale=4d0)
    call check('of layers', sums(1) == exblas_sum(field(:, 2:5, :)) .and. &
        all(layers == [(exblas_sum(field(:, 2:5, i)), i=1, 3)]))
    sums(1) = reproducing_sum(field(first:last, :, 1), only_on_PE=.true.)
    call check('of one process', sums(1) == exblas_sum(field(first:last, :, 1)))
    nan = transfer(9221120237041090560_c_int64_t, nan)
    if (rank == n_ranks - 1) field(last, 1, 2) = nan
    sums(1) = reproducing_sum(field(first:last, :, 2), err=code)
    call check('a NaN', code == 4)
    call shr_reprosum_calc(columns(field(first:last, :, :)), sums, 6 * (last - first + 1), 6 * (last - first + 1), 3, &
        allow_infnan=.true.)
    call check('which may be', sums(2) /= sums(2) .and. sums(3) == exblas_sum(field(:,:,3)))
    call MPI_Finalize()
contains
    function columns(x)
        real(c_double), intent(in) :: x(:,:,:)
        real(c_double) :: columns(size(x, 1) * 6, 3)
        columns = reshape(x, shape(columns))
    end function columns

    function exact()
        real(c_double) :: exact(3)
        exact = [(exblas_sum(field(:,:,i)), i=1, 3)]
    end function exact

    subroutine check(title, is_right)
        character(*), intent(in) :: title
        logical, intent(in) :: is_right
        logical :: all_right
        call MPI_Allreduce(is_right, all_right, 1, MPI_LOGICAL, MPI_LAND, MPI_COMM_WORLD)
        n_tests = n_tests + 1
        if (rank == 0) print '(a, i0, 2a)', merge('ok     ', 'not ok ', all_right), n_tests, ' - ', title
    end subroutine check
end program fortran_climate_test
