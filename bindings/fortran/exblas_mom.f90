! reproducing_sum, reproducing_sum_EFP and EFP_type with the interface of MOM6's MOM_coms, for real(8) (MOM6's default real):
! use exblas_mom, only: reproducing_sum. EFP_type holds any sum exactly: nothing overflows, err is 0, or 4 where the input has a
! NaN or Inf. Sums are always reproducing. Processes are those of exblas_mom_comm.
module exblas_mom
    use, intrinsic :: iso_fortran_env, only: r8 => real64
    use mpi_f08
    use exblas, EFP_type => exblas_accumulator
    use exblas_mpi
    implicit none
    private
    public :: reproducing_sum, reproducing_sum_EFP, EFP_type, EFP_to_real, real_to_EFP
    type(MPI_Comm), public :: exblas_mom_comm = MPI_COMM_WORLD
    interface reproducing_sum
        module procedure :: sum_2d, sum_3d
    end interface reproducing_sum
    interface reproducing_sum_EFP
        module procedure :: sum_2d_EFP
    end interface reproducing_sum_EFP
contains
    ! The sums of layers, over processes unless only_on_PE. What array counts in is undone by unscale, exactly.
    subroutine add_up(array, isr, ier, jsr, jer, sums, err, only_on_PE, unscale)
        real(r8), intent(in) :: array(:,:,:)
        integer, intent(in), optional :: isr, ier, jsr, jer
        type(EFP_type), intent(out) :: sums(:)
        integer, intent(out), optional :: err
        logical, intent(in), optional :: only_on_PE
        real(r8), intent(in), optional :: unscale
        integer :: range(4), k, nan
        logical :: is_local
        range = [1, size(array, 1), 1, size(array, 2)]
        if (present(isr)) range(1) = isr
        if (present(ier)) range(2) = ier
        if (present(jsr)) range(3) = jsr
        if (present(jer)) range(4) = jer
        if (any(range([1, 3]) < 1) .or. range(2) > size(array, 1) .or. range(4) > size(array, 2)) &
            call exblas_fail(exblas_einval, 'reproducing_sum: isr, ier, jsr, jer are outside the array')
        do k = 1, size(sums)
            associate (x => array(range(1):range(2), range(3):range(4), k))
                if (present(unscale)) then
                    call sums(k)%add(x, spread(spread(unscale, 1, size(x, 1)), 2, size(x, 2)))
                else
                    call sums(k)%add(x)
                end if
            end associate
        end do
        is_local = .false.
        if (present(only_on_PE)) is_local = only_on_PE
        if (.not. is_local) call exblas_global_merge(sums, exblas_mom_comm)
        nan = merge(4, 0, any(sums%acc%special /= 0))
        if (nan /= 0 .and. .not. present(err)) &
            call exblas_fail(exblas_einval, 'reproducing_sum: NaN or Inf in the input field')
        if (present(err)) err = nan
    end subroutine add_up

    function sum_2d(array, isr, ier, jsr, jer, EFP_sum, reproducing, overflow_check, err, only_on_PE, unscale) result(sum)
        real(r8), intent(in) :: array(:,:)
        integer, intent(in), optional :: isr, ier, jsr, jer
        type(EFP_type), intent(out), optional :: EFP_sum
        logical, intent(in), optional :: reproducing, overflow_check, only_on_PE
        integer, intent(out), optional :: err
        real(r8), intent(in), optional :: unscale
        real(r8) :: sum
        type(EFP_type) :: whole
        whole = sum_2d_EFP(array, isr, ier, jsr, jer, overflow_check, err, only_on_PE, unscale)
        sum = scaled(whole, unscale)
        if (present(EFP_sum)) EFP_sum = whole
    end function sum_2d

    function sum_2d_EFP(array, isr, ier, jsr, jer, overflow_check, err, only_on_PE, unscale) result(EFP_sum)
        real(r8), intent(in) :: array(:,:)
        integer, intent(in), optional :: isr, ier, jsr, jer
        logical, intent(in), optional :: overflow_check, only_on_PE
        integer, intent(out), optional :: err
        real(r8), intent(in), optional :: unscale
        type(EFP_type) :: EFP_sum, sums(1)
        call add_up(reshape(array, [shape(array), 1]), isr, ier, jsr, jer, sums, err, only_on_PE, unscale)
        EFP_sum = sums(1)
    end function sum_2d_EFP

    function sum_3d(array, isr, ier, jsr, jer, sums, EFP_sum, EFP_lay_sums, err, only_on_PE, unscale) result(sum)
        real(r8), intent(in) :: array(:,:,:)
        integer, intent(in), optional :: isr, ier, jsr, jer
        real(r8), intent(out), optional :: sums(:)
        type(EFP_type), intent(out), optional :: EFP_sum, EFP_lay_sums(:)
        integer, intent(out), optional :: err
        logical, intent(in), optional :: only_on_PE
        real(r8), intent(in), optional :: unscale
        real(r8) :: sum
        type(EFP_type), allocatable :: layer(:)
        type(EFP_type) :: whole
        integer :: k
        allocate (layer(size(array, 3)))
        call add_up(array, isr, ier, jsr, jer, layer, err, only_on_PE, unscale)
        do k = 1, size(layer)
            if (present(sums)) sums(k) = scaled(layer(k), unscale)
            call whole%merge(layer(k))
        end do
        sum = scaled(whole, unscale)
        if (present(EFP_sum)) EFP_sum = whole
        if (present(EFP_lay_sums)) EFP_lay_sums(:size(layer)) = layer
    end function sum_3d

    ! In the units of the array: its scaling is restored, a second rounding unless unscale is a power of 2.
    real(r8) function scaled(sum, unscale)
        type(EFP_type), intent(in) :: sum
        real(r8), intent(in), optional :: unscale
        scaled = sum%value()
        if (present(unscale)) scaled = merge(scaled / unscale, 0._r8, abs(unscale) > 0)
    end function scaled

    real(r8) function EFP_to_real(EFP)
        type(EFP_type), intent(in) :: EFP
        EFP_to_real = EFP%value()
    end function EFP_to_real

    type(EFP_type) function real_to_EFP(val)
        real(r8), intent(in) :: val
        call real_to_EFP%add(val)
    end function real_to_EFP
end module exblas_mom
