"""Minimax polynomials for `motionbase.compile.maths`, by Remez exchange in high precision.

The coefficients in the package were made with `fit`: leading coefficients are rounded to double first and the rest
fitted again, so the rounding of one is made up for by the next.

Example: uv run python scripts/fit_polynomial.py     (prints the polynomial of sin on [0, pi/4])
"""

from collections.abc import Callable, Sequence

import mpmath as mp

Function = Callable[[mp.mpf], mp.mpf]


def remez(f: Function, low: mp.mpf, high: mp.mpf, degree: int, weight: Function) -> tuple[list[mp.mpf], mp.mpf]:
    """Coefficients c0.. of p minimising max |weight(x) (p(x) - f(x))| on [low, high], and that maximum."""
    n = degree + 2
    points = [(low + high) / 2 - (high - low) / 2 * mp.cos(mp.pi * k / (n - 1)) for k in range(n)]
    for _ in range(30):
        matrix = mp.matrix(n, n)
        rhs = mp.matrix(n, 1)
        for i, x in enumerate(points):
            for j in range(degree + 1):
                matrix[i, j] = x**j
            matrix[i, degree + 1] = (-1) ** i / weight(x)
            rhs[i] = f(x)
        solution = mp.lu_solve(matrix, rhs)
        coefficients = [solution[j] for j in range(degree + 1)]

        def error(x: mp.mpf, c: Sequence[mp.mpf] = coefficients) -> mp.mpf:
            return weight(x) * (mp.polyval(list(reversed(c)), x) - f(x))

        points, largest, smallest = _exchange(error, low, high, n, points)
        if largest - smallest < largest * mp.mpf("1e-3"):
            break
    return coefficients, largest


def _exchange(
    error: Function, low: mp.mpf, high: mp.mpf, n: int, old: list[mp.mpf]
) -> tuple[list[mp.mpf], mp.mpf, mp.mpf]:
    """The n alternating extrema of the error, found on a fine grid and refined by parabolas."""
    grid = [(low + high) / 2 - (high - low) / 2 * mp.cos(mp.pi * k / (40 * n)) for k in range(40 * n + 1)]
    values = [error(x) for x in grid]
    extrema: list[tuple[mp.mpf, mp.mpf]] = []
    for k, (x, e) in enumerate(zip(grid, values, strict=True)):
        inside = 0 < k < len(grid) - 1
        if inside and not (abs(e) >= abs(values[k - 1]) and abs(e) >= abs(values[k + 1])):
            continue
        if extrema and mp.sign(extrema[-1][1]) == mp.sign(e):
            if abs(e) > abs(extrema[-1][1]):
                extrema[-1] = (x, e)
        else:
            extrema.append((x, e))
    while len(extrema) > n:
        extrema.pop(0 if abs(extrema[0][1]) < abs(extrema[-1][1]) else -1)
    if len(extrema) < n:
        return old, mp.mpf(1), mp.mpf(0)
    sizes = [abs(e) for _, e in extrema]
    return [x for x, _ in extrema], max(sizes), min(sizes)


def fit(
    f: Function, low: float, high: float, degree: int, *, weight: Function = lambda x: mp.mpf(1), digits: int = 60
) -> tuple[list[float], float]:
    """Double coefficients, lowest power first, of a near-minimax polynomial, and its largest weighted error."""
    with mp.workdps(digits):
        a, b = mp.mpf(low), mp.mpf(high)
        fixed: list[float] = []
        for k in range(degree + 1):

            def rest(x: mp.mpf, known: list[float] = fixed, k: int = k) -> mp.mpf:
                return (f(x) - mp.polyval([mp.mpf(c) for c in reversed(known)], x)) / x**k if known else f(x)

            start = a if a != 0 else b * mp.mpf("1e-8")  # the divided rest has a removable hole at 0
            w = (lambda x, k=k: weight(x) * x**k) if k else weight
            coefficients, _ = remez(rest, start, b, degree - k, w)
            fixed.append(float(coefficients[0]))
        grid = [a + (b - a) * i / 2000 for i in range(1, 2001)]
        worst = max(abs(weight(x) * (mp.polyval([mp.mpf(c) for c in reversed(fixed)], x) - f(x))) for x in grid)
        return fixed, float(worst)


if __name__ == "__main__":
    # sin x = x + x^3 s(x^2): s fitted for the smallest error relative to sin
    def s(z: mp.mpf) -> mp.mpf:
        """(sin x - x) / x^3 as a function of z = x^2."""
        x = mp.sqrt(z)
        return (mp.sin(x) - x) / x**3 if z > mp.mpf("1e-12") else -mp.mpf(1) / 6 + z / 120

    for degree in (4, 5):
        c, e = fit(s, 1e-9, float(mp.pi / 4) ** 2, degree, weight=lambda z: z)
        print(degree, [x.hex() for x in c], f"2^{float(mp.log(e, 2)):.1f}")
