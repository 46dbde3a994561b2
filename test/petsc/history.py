"""A program that knows nothing of ExBLAS: solves a system with petsc4py as the options say, and prints
the history of residuals, the solution's norm and two products as hexadecimal numbers, from rank 0.

    history.py [PETSc's options]
"""
import math
import sys

import petsc4py

petsc4py.init(sys.argv)
from petsc4py import PETSc  # noqa: E402

SIDE = PETSc.Options().getInt("side", 24)  # unknowns of a row, in blocks of four: shares of processes are whole blocks


def entries(row):
    """Five-point differences with coefficients that vary, and a wind."""
    wind = PETSc.Options().getReal("wind", 0.0)
    x, y = row % SIDE, row // SIDE
    for dx, dy in ((0, -1), (-1, 0), (1, 0), (0, 1)):
        if 0 <= x + dx < SIDE and 0 <= y + dy < SIDE:
            column = row + dy * SIDE + dx
            yield column, -1 - 0.1 * ((row + column) % 7) + wind * (dx + dy)
    yield row, 6.3


def main():
    n = SIDE * SIDE
    matrix = PETSc.Mat().create()
    matrix.setSizes([n, n])
    matrix.setBlockSize(4)
    matrix.setFromOptions()
    matrix.setUp()
    for row in range(*matrix.getOwnershipRange()):
        for column, value in entries(row):
            matrix.setValue(row, column, value)
    matrix.assemble()
    b, x = matrix.createVecs()
    for row in range(*b.getOwnershipRange()):
        b.setValue(row, ((row * 7919) % 1009) / 1009 - 0.4)
    b.assemble()
    solver = PETSc.KSP().create()
    solver.setOperators(matrix)
    solver.setFromOptions()
    solver.setConvergenceHistory()
    solver.solve(b, x)
    y = b.duplicate()
    matrix.multTranspose(b, y)
    z = b.duplicate()
    matrix.multTransposeAdd(x, y, z)
    numbers = list(solver.getConvergenceHistory()) + [x.norm(), y.norm(), z.dot(x), z.norm(PETSc.NormType.N1),
                                                   z.norm(PETSc.NormType.INFINITY), z.sum()]
    if PETSc.Options().hasName("exact"):  # on one process
        assert z.norm(PETSc.NormType.NORM_1_AND_2) == (math.fsum(map(abs, z.array)), z.norm())
        assert z.norm(PETSc.NormType.INFINITY) == abs(z.array).max()
        assert z.sum() == math.fsum(z.array)
        PETSc.Object.view(z, PETSc.Viewer().createASCII("/dev/null"))  # z is whole
        matrix.scale(2)
        matrix.multTranspose(b, z)  # of the matrix as it is now
        assert (z.array == 2 * y.array).all()
    if PETSc.COMM_WORLD.getRank() == 0:
        print(matrix.getType(), b.getType(), solver.getConvergedReason())
        for number in numbers:
            print(float(number).hex())


main()
