"""Put before a program by `exblas-run --numpy`: when the program imports NumPy, exblas.patch() follows."""
import importlib.machinery
import importlib.util
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def load_exblas():
    """The package that this file lies in, whatever the interpreter's own folders are."""
    if "exblas" in sys.modules:
        return sys.modules["exblas"]
    folder = os.path.dirname(HERE)
    spec = importlib.util.spec_from_file_location("exblas", os.path.join(folder, "__init__.py"),
                                                  submodule_search_locations=[folder])
    module = importlib.util.module_from_spec(spec)
    sys.modules["exblas"] = module
    spec.loader.exec_module(module)
    return module


def patch():
    try:
        load_exblas().patch()
    except Exception as error:
        print(f"exblas-run: warning: --numpy has no effect: {error}", file=sys.stderr)


class PatchNumpy:
    """Finds NumPy once, as it would have been found, and patches it after it was loaded."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name != "numpy":
            return None
        sys.meta_path.remove(PatchNumpy)
        spec = importlib.util.find_spec("numpy")
        if spec is None or spec.loader is None:
            return spec
        load = spec.loader.exec_module

        def exec_module(module):
            load(module)
            patch()
        spec.loader.exec_module = exec_module
        return spec


def run_next():
    """The sitecustomize that this one hides."""
    others = [p for p in sys.path if os.path.abspath(p or ".") != HERE]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", others)
    if spec is not None and spec.loader is not None:
        module = importlib.util.module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


sys.meta_path.insert(0, PatchNumpy)
run_next()
