"""spack repo add packaging/spack; spack install py-numpy ^exblas"""
import os

from spack.package import *


class Exblas(MesonPackage):
    """A BLAS whose every result is the exact value of its expression, rounded once: the same bits for any number of
    threads, any instruction set and any order of summation."""

    version("0.3.0")
    license("BSD-3-Clause")

    variant("mpi", default=False, description="Exact sums over MPI processes")
    variant("opencl", default=False, description="The library for OpenCL devices")

    depends_on("c", type="build")
    depends_on("meson@1.0.1:", type="build")
    depends_on("ninja", type="build")
    depends_on("pkgconfig", type="build")
    depends_on("python@3.9:", type=("build", "run"))
    depends_on("mpi", when="+mpi")
    depends_on("opencl", when="+opencl")

    provides("blas")

    def url_for_version(self, version):
        return "file://{0}/exblas-{1}.tar.gz".format(os.environ.get("EXBLAS_RELEASES", os.getcwd()), version)

    def meson_args(self):
        return [
            "-Dpython=disabled", "-Dcuda=disabled",
            "-Dmpi={0}".format("enabled" if "+mpi" in self.spec else "disabled"),
            "-Dopencl={0}".format("enabled" if "+opencl" in self.spec else "disabled"),
        ]

    @property
    def libs(self):
        return find_libraries("libblas", root=self.prefix, shared=True, recursive=True)

    @property
    def headers(self):
        return find_headers("cblas", root=self.prefix.include, recursive=True)
