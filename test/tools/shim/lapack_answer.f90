! Prints hashes for each function of numpy.linalg in each type: one of the results with 5 unknowns, one
! of those with 5 and 30, and so on. An argument is the largest number of unknowns, 300 if not given.
program lapack_answer
    character(12) :: argument
    integer :: largest
    largest = 300
    call get_command_argument(1, argument)
    if (argument /= '') read (argument, *) largest
    call sanswer_all(largest)
    call danswer_all(largest)
    call canswer_all(largest)
    call zanswer_all(largest)
end program
