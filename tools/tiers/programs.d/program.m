% Prints the bits of BLAS and LAPACK results of Octave.
rand('twister', 1);
a = rand(120, 80) - 0.5;
b = a' * a;
r = [b(:); (a * a(1, :)'); (b \ a(1, :)'); svd(a); chol(b)(:); inv(b)(:); dot(a(:, 1), a(:, 2))];
printf('%s %s\n', version(), hash('md5', sprintf('%s', num2hex(r)'))(1:16));
