"""python -m exblas._npz [NAME] <FILE.npz: the array of that name, or the only one, for the command `exblas`:
its size in bytes on a line, then its bytes; or on a line what is wrong. Exit status 1: it is damaged."""
import shutil
import signal
import sys
import zipfile
import zlib

DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError)


def choose(archive, name):
    """The entry of the array that is wanted; ValueError, for the user, if there is not one."""
    arrays = [entry for entry in archive.infolist() if entry.filename.endswith(".npy")]
    fit = [entry for entry in arrays if name is None or entry.filename == name + ".npy"]
    if len(fit) == 1:
        return fit[0]
    names = ", ".join(entry.filename[:-4] for entry in arrays)[:200].replace("\n", "?")
    raise ValueError(f"{len(arrays)} arrays ({names})" + (": choose one with --column" if fit else ", none of them wanted"))


def send(name, source, out):
    try:
        archive = zipfile.ZipFile(source)
        member = archive.open(entry := choose(archive, name))
    except ValueError as error:
        out.write(f"{error}\n".encode("utf-8", "replace"))
        return 0
    except DAMAGE as error:
        out.write(f"not an npz file, or damaged ({error})\n".encode("utf-8", "replace"))
        return 0
    out.write(b"%d\n" % entry.file_size)
    try:
        shutil.copyfileobj(member, out, 1 << 20)
    except DAMAGE:
        return 1
    return 0


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # the command wants no more
    sys.exit(send(sys.argv[1] if len(sys.argv) > 1 else None, sys.stdin.buffer, sys.stdout.buffer))
