! Prints a hash for each function of numpy.linalg in each type.
program lapack_answer
    call sanswer_all()
    call danswer_all()
    call canswer_all()
    call zanswer_all()
end program
