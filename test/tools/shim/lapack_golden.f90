! Prints a hash for each of LAPACK's drivers in each type.
program lapack_golden
    call sprint_all()
    call dprint_all()
    call cprint_all()
    call zprint_all()
end program
