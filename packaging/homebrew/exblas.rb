# brew install --formula packaging/homebrew/exblas.rb, beside the archive that tools/release has made. For Homebrew on
# Linux: the library needs the dynamic linker of glibc.
class Exblas < Formula
  desc "Correctly rounded BLAS: the same bits for any threads, processor and order"
  url "file://#{File.expand_path("../../build-release/exblas-0.3.0.tar.gz", __dir__)}"
  license "BSD-3-Clause"

  keg_only "programs that look for libblas.so.3 would find it"

  depends_on "meson" => :build
  depends_on "ninja" => :build
  depends_on "pkgconf" => :build
  depends_on :linux
  depends_on "python@3.13"

  def install
    system "meson", "setup", "objects", *std_meson_args, "-Dpython=disabled",
           "-Dmpi=disabled", "-Dopencl=disabled", "-Dcuda=disabled"
    system "ninja", "-C", "objects"
    system "meson", "install", "-C", "objects"
  end

  test do
    (testpath/"numbers.txt").write "1e16\n1\n-1e16\n"
    assert_equal "1", shell_output("#{bin}/exblas sum --quiet numbers.txt").lines.first.strip
  end
end
