! gfortran dot.f90 $(pkg-config --libs exblas) -o dot && ./dot
program dot
  implicit none
  double precision :: x(4) = [1d16, 1d0, -1d16, 1d-300], y(4) = 1d0
  double precision, external :: exddot
  print '(a, es24.16e3)', 'plain ', sum(x * y)
  print '(a, es24.16e3)', 'exact ', exddot(4, x, 1, y, 1)
  if (exddot(4, x, 1, y, 1) /= 1d0) error stop
end program dot
