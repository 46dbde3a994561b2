! The published interface of shr_reprosum_mod (CESM, CISM, E3SM): programs change nothing but the file that they compile. Each sum
! is the exact one, rounded once, the same bits for any number of processes, in one allreduce.
!
! Arguments that choose between accuracy, range and speed (ddpdd_sum, arr_gbl_max, arr_max_levels, gbl_max_nsummands, gbl_count,
! repro_sum_validate) change nothing, since all sums are exact and none needs a bound. What is asked for is returned: the largest
! |arr| and number of summands of a process (one more allreduce each), and the words of an accumulator as levels.
module shr_reprosum_mod
    use, intrinsic :: iso_fortran_env, only: r8 => real64, output_unit
    use mpi_f08
    use exblas
    use exblas_mpi
    implicit none
    private
    public :: shr_reprosum_setopts, shr_reprosum_calc, shr_reprosum_tolExceeded
    logical, public :: shr_reprosum_recompute = .false.
    real(r8), public :: shr_reprosum_reldiffmax = -1
    logical :: always_allow_infnan = .false.
contains
    subroutine shr_reprosum_setopts(repro_sum_use_ddpdd_in, repro_sum_allow_infnan_in, repro_sum_rel_diff_max_in, &
            repro_sum_recompute_in, repro_sum_master, repro_sum_logunit)
        logical, intent(in), optional :: repro_sum_use_ddpdd_in, repro_sum_allow_infnan_in, repro_sum_recompute_in
        logical, intent(in), optional :: repro_sum_master
        real(r8), intent(in), optional :: repro_sum_rel_diff_max_in
        integer, intent(in), optional :: repro_sum_logunit
        integer :: unit
        if (present(repro_sum_allow_infnan_in)) always_allow_infnan = repro_sum_allow_infnan_in
        if (present(repro_sum_rel_diff_max_in)) shr_reprosum_reldiffmax = repro_sum_rel_diff_max_in
        if (present(repro_sum_recompute_in)) shr_reprosum_recompute = repro_sum_recompute_in
        unit = output_unit
        if (present(repro_sum_logunit)) unit = repro_sum_logunit
        if (.not. present(repro_sum_master)) return
        if (repro_sum_master) write (unit, '(a)') 'shr_reprosum_setopts: exact sums by ExBLAS'
    end subroutine shr_reprosum_setopts

    subroutine shr_reprosum_calc(arr, arr_gsum, nsummands, dsummands, nflds, allow_infnan, ddpdd_sum, arr_gbl_max, &
            arr_gbl_max_out, arr_max_levels, arr_max_levels_out, gbl_max_nsummands, gbl_max_nsummands_out, gbl_count, &
            repro_sum_validate, repro_sum_stats, rel_diff, commid)
        integer, intent(in) :: nsummands, dsummands, nflds
        real(r8), intent(in) :: arr(dsummands, nflds)
        real(r8), intent(out) :: arr_gsum(nflds)
        logical, intent(in), optional :: allow_infnan, ddpdd_sum, repro_sum_validate
        real(r8), intent(in), optional :: arr_gbl_max(nflds)
        real(r8), intent(out), optional :: arr_gbl_max_out(nflds), rel_diff(2, nflds)
        integer, intent(in), optional :: arr_max_levels(nflds), gbl_max_nsummands, gbl_count, commid
        integer, intent(out), optional :: arr_max_levels_out(nflds), gbl_max_nsummands_out
        integer, intent(inout), optional :: repro_sum_stats(6)
        type(exblas_accumulator), allocatable :: sum(:)
        type(MPI_Comm) :: comm
        integer :: i, stats(6)
        logical :: may_be_infinite
        comm = MPI_COMM_WORLD
        if (present(commid)) comm%MPI_VAL = commid
        may_be_infinite = always_allow_infnan
        if (present(allow_infnan)) may_be_infinite = allow_infnan
        allocate (sum(nflds))
        do i = 1, nflds
            call sum(i)%add(arr(:nsummands, i))
        end do
        call exblas_global_merge(sum, comm)
        do i = 1, nflds
            arr_gsum(i) = sum(i)%value()
        end do
        if (.not. may_be_infinite .and. any(sum%acc%special /= 0)) &
            call exblas_fail(exblas_einval, 'shr_reprosum_calc: NaN or Inf in the input; allow_infnan=.true. adds them')
        stats = [1, 0, 0, 0, 0, 0]
        if (present(arr_max_levels_out)) arr_max_levels_out = size(sum(1)%acc%word)
        if (present(arr_gbl_max_out)) call MPI_Allreduce([(maxval([0._r8, abs(arr(:nsummands, i))]), i=1, nflds)], &
            arr_gbl_max_out, nflds, MPI_REAL8, MPI_MAX, comm)
        if (present(gbl_max_nsummands_out)) call MPI_Allreduce(nsummands, gbl_max_nsummands_out, 1, MPI_INTEGER, MPI_MAX, comm)
        if (present(rel_diff)) call compare(arr(:nsummands, :), arr_gsum, rel_diff, stats(4), comm)
        if (present(repro_sum_stats)) repro_sum_stats = repro_sum_stats + stats
    end subroutine shr_reprosum_calc

    ! With a sum in floating point; all 0 if a tolerance was never set.
    subroutine compare(arr, arr_gsum, rel_diff, n_compared, comm)
        real(r8), intent(in) :: arr(:,:), arr_gsum(:)
        real(r8), intent(out) :: rel_diff(:,:)
        integer, intent(inout) :: n_compared
        type(MPI_Comm), intent(in) :: comm
        real(r8) :: plain(size(arr_gsum))
        rel_diff = 0
        if (shr_reprosum_reldiffmax < 0) return
        n_compared = 1
        call MPI_Allreduce(sum(arr, 1), plain, size(plain), MPI_REAL8, MPI_SUM, comm)
        rel_diff(2, :) = abs(plain - arr_gsum)
        rel_diff(1, :) = rel_diff(2, :)
        where (abs(arr_gsum) > rel_diff(2, :)) rel_diff(1, :) = rel_diff(2, :) / abs(arr_gsum)
    end subroutine compare

    logical function shr_reprosum_tolExceeded(name, nflds, master, logunit, rel_diff)
        character(*), intent(in) :: name
        integer, intent(in) :: nflds
        logical, intent(in) :: master
        integer, intent(in), optional :: logunit
        real(r8), intent(in) :: rel_diff(2, nflds)
        integer :: unit, n_above
        unit = output_unit
        if (present(logunit)) unit = logunit
        n_above = 0
        if (shr_reprosum_reldiffmax >= 0) n_above = count(rel_diff(1, :) > shr_reprosum_reldiffmax)
        shr_reprosum_tolExceeded = n_above > 0
        if (shr_reprosum_tolExceeded .and. master) write (unit, '(2a, i0, 2(a, es9.2))') trim(name), &
            ': exact and floating-point sums of ', n_above, ' fields differ by more than the tolerance; at most', &
            maxval(rel_diff(1, :)), ' relative,', maxval(rel_diff(2, :))
    end function shr_reprosum_tolExceeded
end module shr_reprosum_mod
