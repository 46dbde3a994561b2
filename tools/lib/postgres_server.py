"""A PostgreSQL server of its own in a temporary folder, with the extension exblas: the server's programs
are copied, so that they look for extensions beside themselves, and nothing of the system changes."""
import glob
import os
import pathlib
import pwd
import shutil
import subprocess
import tempfile

SOURCES = pathlib.Path(__file__).resolve().parent.parent.parent
USER = "postgres"  # runs the server where we are root, which it refuses to be run by
PROGRAMS = ("initdb", "pg_ctl", "postgres", "psql")


def find_pg_config():
    """The newest server with headers for extensions, or None."""
    found = sorted(glob.glob("/usr/lib/postgresql/*/bin/pg_config"),
                   key=lambda path: int(path.split("/")[4])) or [shutil.which("pg_config")]
    for path in reversed(found):
        if path and os.path.exists(os.path.join(os.path.dirname(path), "initdb")):
            include = subprocess.run([path, "--includedir-server"], check=True, text=True,
                                     stdout=subprocess.PIPE).stdout.strip()
            if os.path.exists(os.path.join(include, "postgres.h")):
                return path
    return None


def find_wheel(build, version):
    """The folder of a server of that major version from a wheel, in the environment BUILD/postgresql, or None."""
    for config in glob.glob(f"{build}/postgresql/lib/python3*/site-packages/*/pginstall/bin/pg_config"):
        said = subprocess.run([config, "--version"], check=False, text=True, stdout=subprocess.PIPE).stdout
        if said.split()[-1:] and said.split()[-1].split(".")[0] == version:
            return pathlib.Path(config).parents[2]
    return None


def missing(build=None, version=None):
    """Why there can be no server, or None."""
    if version and not find_wheel(build, version):
        return f"no PostgreSQL {version} (a wheel with its headers, in {build}/postgresql: tools/check)"
    if not version and not find_pg_config():
        return "no PostgreSQL server with headers (postgresql-15, postgresql-server-dev-15)"
    if os.geteuid() == 0 and (not shutil.which("runuser") or USER not in [u.pw_name for u in pwd.getpwall()]):
        return f"a server cannot be run by root, and there is no user {USER}"
    return None


class Server:
    """with Server(build folder) as server: server.query(sql). version: of a wheel, instead of the newest that is
    installed."""

    def __init__(self, build, version=None):
        self.build = pathlib.Path(build).resolve()
        self.version = version
        self.pg_config = find_pg_config()
        self.database = "postgres"
        self.root = tempfile.mkdtemp(prefix="exblas-pg-")
        self.data, self.log = f"{self.root}/data", f"{self.root}/log"
        try:
            self._install()
            self._start()
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _folder(self, kind):
        return subprocess.run([self.pg_config, f"--{kind}"], check=True, text=True,
                              stdout=subprocess.PIPE).stdout.strip()

    def _make_install(self, *settings):
        source, objects = SOURCES / "bindings/sql/postgresql", f"{self.root}/build"
        os.mkdir(objects)
        done = subprocess.run(
            ["make", "-s", "-f", source / "Makefile", f"VPATH={source}", f"PG_CONFIG={self.pg_config}",
             f"EXBLAS_CFLAGS=-I{SOURCES}/include -I{self.build}/include",
             f"EXBLAS_LIBS={self.build}/lib/libexblas.a", *settings,
             "install"], cwd=objects, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"the extension was not built:\n{done.stdout}")

    def _install_wheel(self):
        """A wheel's server finds its own files wherever it is: a copy of all. Flags of another compiler are in
        its makefiles."""
        wheel = find_wheel(self.build, self.version)
        shutil.copytree(wheel, f"{self.root}/{wheel.name}", symlinks=True)
        libraries = wheel.with_name(f"{wheel.name}.libs")
        if libraries.exists():
            shutil.copytree(libraries, f"{self.root}/{libraries.name}")
        self.bin = f"{self.root}/{wheel.name}/pginstall/bin"
        self.pg_config = f"{self.bin}/pg_config"
        self._make_install("CC=gcc", "CFLAGS=-O2 -Wall -Wmissing-prototypes -Werror -fwrapv -fno-strict-aliasing "
                           "-fPIC")

    def _install(self):
        if self.version:
            self._install_wheel()
            return
        self._make_install("COPT=-Werror", f"DESTDIR={self.root}")
        bindir = self._folder("bindir")
        self.bin = self.root + bindir
        os.makedirs(self.bin)
        for program in PROGRAMS:
            shutil.copy(f"{bindir}/{program}", self.bin)
        for kind in ("sharedir", "pkglibdir"):
            self._link_missing(self._folder(kind))

    def _link_missing(self, folder):
        """Links to all that folder has, into its copy, except what is there."""
        for name in os.listdir(folder):
            copy = f"{self.root}{folder}/{name}"
            if not os.path.exists(copy):
                os.symlink(f"{folder}/{name}", copy)
            elif os.path.isdir(copy):
                self._link_missing(f"{folder}/{name}")

    def _run(self, *command, **options):
        if os.geteuid() == 0:
            command = ("runuser", "-u", USER, "--", *command)
        options = {"check": True, "text": True, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, **options}
        return subprocess.run(command, cwd=self.root, **options)

    def _start(self):
        os.chmod(self.root, 0o755)
        if os.geteuid() == 0:
            user = pwd.getpwnam(USER)
            os.chown(self.root, user.pw_uid, user.pw_gid)
        self._run(f"{self.bin}/initdb", "-D", self.data, "-A", "trust", "-U", "exblas", "--no-sync",
                  "-E", "UTF8", "--locale=C")
        options = (f"-k {self.root} -h '' -c fsync=off -c max_worker_processes=8 -c max_parallel_workers=8 "
                   "-c shared_buffers=256MB -c jit=off")
        self._run(f"{self.bin}/pg_ctl", "-D", self.data, "-l", self.log, "-w", "-o", options, "start",
                  stdout=subprocess.DEVNULL)
        self.query("CREATE EXTENSION exblas")

    def command(self):
        return [f"{self.bin}/psql", "-X", "-q", "-A", "-t", "-F", "|", "-P", "null=NULL", "-v", "ON_ERROR_STOP=1",
                "-h", self.root, "-U", "exblas", "-d", self.database]

    def query(self, sql, ok=True):
        """The rows as lists of text; if not ok, what is said on errors."""
        done = self._run(*self.command(), input=sql, stderr=subprocess.PIPE, check=False)
        if done.returncode and ok:
            raise RuntimeError(done.stderr)
        return [line.split("|") for line in done.stdout.splitlines()] if ok else done.stderr

    def start_query(self, sql):
        """A process that runs the query."""
        command = self.command()
        if os.geteuid() == 0:
            command = ["runuser", "-u", USER, "--", *command]
        return subprocess.Popen([*command, "-c", sql], cwd=self.root, text=True, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE)

    def close(self):
        if os.path.exists(f"{self.data}/postmaster.pid"):
            self._run(f"{self.bin}/pg_ctl", "-D", self.data, "-m", "immediate", "-w", "stop", check=False)
        shutil.rmtree(self.root, ignore_errors=True)
