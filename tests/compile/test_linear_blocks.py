"""Equal blocks factored by one routine: against NumPy and against the elimination of the whole."""

from __future__ import annotations

from typing import Any

import casadi as ca
import numpy as np
import pytest

from motionbase.arrays import Array
from motionbase.compile import Kernel, Port, Program, compile
from motionbase.compile.linear import Factorization, factorize, factorize_blocks
from motionbase.compile.linear.blocks import BlockFactorization
from motionbase.compile.ops import Op

EPS = float(np.finfo(float).eps)
K, M, R = 4, 9, 5  # blocks, rows of each, rows of the rest


class Case:
    """Four blocks of one pattern and a rest, in shuffled order."""

    def __init__(self, seed: int, diagonal: float = 3.0) -> None:
        rng = np.random.default_rng(seed)
        n = K * M + R
        pattern = np.zeros((n, n), dtype=bool)
        own, right, below = rng.random((M, M)) < 0.3, rng.random((M, R)) < 0.4, rng.random((R, M)) < 0.4
        rest = slice(K * M, n)
        for k in range(K):
            at = slice(k * M, (k + 1) * M)
            pattern[at, at], pattern[at, rest], pattern[rest, at] = own | np.eye(M, dtype=bool), right, below
        pattern[rest, rest] = True
        order = rng.permutation(n)
        place = np.argsort(order)
        self.pattern = pattern[np.ix_(order, order)]
        self.blocks = [[[int(place[k * M + i]) for i in range(M)] for k in range(K)]]
        boost = diagonal * np.eye(n)
        self.samples = [np.where(self.pattern, rng.standard_normal((n, n)) + boost, 0.0) for _ in range(4)]
        self.sparsity = ca.sparsify(ca.DM(self.pattern)).sparsity()
        self.kinds: list[Any] = []

    def program(self, blocks: list[list[list[int]]], as_kernel: bool = False) -> Program | Kernel:
        """Solves for one right-hand side, with a sweep of refinement."""
        n = len(self.pattern)

        def expr(nz: ca.SX, b: ca.SX) -> tuple[ca.SX, ca.SX, ca.SX]:
            factors = factorize_blocks(ca.SX(self.sparsity, nz), self.samples, blocks)
            self.kinds.append(factors)
            solution = factors.solve(b, refine=1)
            return solution.x, solution.growth, solution.residual

        ports = Port("nz", self.sparsity.nnz()), Port("b", n)
        outputs = Port("x", n), Port("growth"), Port("residual")
        return (Kernel if as_kernel else Program)("blocks", ports, outputs, expr)

    def nonzeros(self, A: Array) -> Array:
        rows, cols = self.sparsity.get_triplet()
        return np.asarray(A[rows, cols])


@pytest.mark.parametrize("diagonal", [3.0, 0.0])  # with 0, many rows have no acceptable pivot in their block
def test_solutions_are_those_of_numpy(diagonal: float) -> None:
    case = Case(1, diagonal)
    b = np.linspace(-1.0, 1.0, len(case.pattern))
    solve = compile(case.program(case.blocks))
    (factors,) = case.kinds[-1:]
    assert isinstance(factors, BlockFactorization)
    delayed = len(factors.rows) - R
    assert delayed == 0 if diagonal else delayed > 0
    for A in case.samples:
        x, growth, residual = solve(nz=case.nonzeros(A), b=b)
        right = np.linalg.solve(A, b)
        bound = 10 * len(A) * EPS * float(growth) * np.linalg.cond(A, np.inf)
        assert np.abs(x - right).max() <= bound * np.abs(right).max()
        assert residual < 100 * EPS and growth < 100.0


def test_interpreter_lanes_and_kernel_give_the_same_bits() -> None:
    case = Case(2)
    b = np.linspace(-1.0, 1.0, len(case.pattern))
    given = {"nz": case.nonzeros(case.samples[0]), "b": b}
    machine = compile(case.program(case.blocks))(**given)
    inlined = compile(case.program(case.blocks, as_kernel=True))(**given)
    for other in (compile(case.program(case.blocks), "python")(**given), inlined):
        for one, two in zip(machine, other, strict=True):
            np.testing.assert_array_equal(one, two)
    lanes = compile(case.program(case.blocks), lanes=2)
    both = lanes(nz=np.stack([given["nz"]] * 2, axis=-1), b=np.stack([b] * 2, axis=-1))
    np.testing.assert_array_equal(both[0][:, 0], machine[0])


def test_code_for_the_blocks_does_not_grow_with_their_number() -> None:
    """Operations of the routines for a block, whether there are two of them or four."""

    def operations(blocks: list[list[list[int]]]) -> int:
        routines = case.program(blocks).routine.callees()
        own = [of for routine in routines if "block" in routine.name.removeprefix("blocks") for of in routine.blocks()]
        return sum(op is Op.MUL for block in own for op, _, _ in block.instructions)

    case = Case(3)
    two, four = operations([case.blocks[0][:2]]), operations(case.blocks)
    assert four < 1.2 * two  # pivots are chosen for the blocks there are, so the orders differ a little


def test_blocks_that_differ_or_touch_are_part_of_the_rest() -> None:
    case = Case(4)
    (family,) = case.blocks
    differ = [[*family[0][1:], family[0][0]], *family[1:]]  # another order
    touching = [family[0][:4], family[0][4:8]]
    for blocks in ([differ], [touching]):
        factors = factorize_blocks(ca.SX.sym("a", case.sparsity), case.samples, blocks)
        assert isinstance(factors, Factorization)
    plain = factorize(ca.SX.sym("a", case.sparsity), case.samples)
    both = factorize_blocks(ca.SX.sym("a", case.sparsity), case.samples, [family[:2], [family[2][:4], family[2][4:8]]])
    assert isinstance(both, BlockFactorization) and len(both.families) == 1
    assert plain.flops > 0


def test_blocks_that_differ_in_a_few_zeros_are_a_family_still() -> None:
    """Zeros of one block alone, inside it and beside it; the sums of the other blocks must not see them."""
    case = Case(5)
    (family,) = case.blocks
    inside = next((i, j) for i in family[0] for j in family[0] if i != j and case.pattern[i, j])
    outside = next(
        (i, j) for i in family[1] for j in range(len(case.pattern)) if case.pattern[i, j] and _in_none(j, case)
    )
    for at in (inside, outside):
        case.pattern[at] = False
        for sample in case.samples:
            sample[at] = 0.0
    case.sparsity = ca.sparsify(ca.DM(case.pattern)).sparsity()
    b = np.linspace(-1.0, 1.0, len(case.pattern))
    solve = compile(case.program(case.blocks))
    factors = case.kinds[-1]
    assert isinstance(factors, BlockFactorization) and len(factors.families[0].of.family.places) == K
    for A in case.samples:
        x, growth, _ = solve(nz=case.nonzeros(A), b=b)
        right = np.linalg.solve(A, b)
        assert np.abs(x - right).max() <= 10 * len(A) * EPS * float(growth) * np.linalg.cond(A) * np.abs(right).max()


def _in_none(j: int, case: Case) -> bool:
    return all(j not in block for family in case.blocks for block in family)
