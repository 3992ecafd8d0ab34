"""Near-minimax polynomials and rational functions for `motionbase.compile.maths`, fitted in high precision.

`fit_maths.py` computes the coefficients in the package with these. Both polynomial fits round the leading coefficients
to double first and fit the rest again, so that later coefficients compensate the rounding of earlier ones.

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

            def reduced(x: mp.mpf, k: int = k) -> mp.mpf:
                return weight(x) * x**k

            coefficients, _ = remez(rest, start, b, degree - k, reduced)
            fixed.append(float(coefficients[0]))
        grid = [a + (b - a) * i / 2000 for i in range(1, 2001)]
        worst = max(abs(weight(x) * (mp.polyval([mp.mpf(c) for c in reversed(fixed)], x) - f(x))) for x in grid)
        return fixed, float(worst)


def fit_least_squares(
    f: Function,
    low: float,
    high: float,
    degree: int,
    *,
    weight: Function = lambda x: mp.mpf(1),
    digits: int = 50,
    sweeps: int = 25,
    refits: int = 6,
) -> tuple[list[float], float]:
    """Double coefficients and the largest weighted error, for an interval that may hold 0 and for high degrees.

    Lawson's reweighted least squares on Chebyshev nodes tends to the minimax polynomial and, unlike the exchange, still
    works when a low power is already fixed and the weight vanishes inside. The `refits` lowest coefficients are rounded
    one by one, each followed by a new fit of the rest; f is evaluated once a node.
    """
    with mp.workdps(digits):
        a, b = mp.mpf(low), mp.mpf(high)
        n = 6 * (degree + 1)
        nodes = [(a + b) / 2 - (b - a) / 2 * mp.cos(mp.pi * (2 * i + 1) / (2 * n)) for i in range(n)]
        wanted, weights = [f(x) for x in nodes], [weight(x) for x in nodes]
        centre = [(x - (a + b) / 2) * 2 / (b - a) for x in nodes]
        lawson = [mp.mpf(1) / n] * n
        fixed: list[float] = []
        for k in range(refits + 1):
            columns = degree + 1 - k
            rest = [
                y - mp.polyval([mp.mpf(c) for c in reversed(fixed)] or [0], x)
                for x, y in zip(nodes, wanted, strict=True)
            ]
            # Chebyshev times x^k: well conditioned, and the fixed powers stay out
            basis = [
                [w * x**k * mp.chebyt(j, t) for j in range(columns)]
                for x, t, w in zip(nodes, centre, weights, strict=True)
            ]
            target = [w * r for w, r in zip(weights, rest, strict=True)]
            for _ in range(sweeps if k == 0 else 6):
                normal = mp.matrix(columns, columns)
                rhs = mp.matrix(columns, 1)
                for i in range(columns):
                    rhs[i] = mp.fsum(l * p[i] * t for l, p, t in zip(lawson, basis, target, strict=True))
                    for j in range(i + 1):
                        normal[i, j] = normal[j, i] = mp.fsum(
                            l * p[i] * p[j] for l, p in zip(lawson, basis, strict=True)
                        )
                solution = mp.lu_solve(normal, rhs)
                errors = [
                    abs(mp.fsum(s * q for s, q in zip(solution, p, strict=True)) - t)
                    for p, t in zip(basis, target, strict=True)
                ]
                total = mp.fsum(l * e for l, e in zip(lawson, errors, strict=True))
                if total == 0:
                    break
                lawson = [l * e / total for l, e in zip(lawson, errors, strict=True)]
            powers = _powers(solution, a, b)
            if k < refits:
                fixed.append(float(powers[0]))
        coefficients = fixed + [float(c) for c in powers]
        exact = [mp.mpf(c) for c in reversed(coefficients)]
        worst = max(w * abs(mp.polyval(exact, x) - y) for x, y, w in zip(nodes, wanted, weights, strict=True))
        at_the_end = weight(b) * abs(mp.polyval(exact, b) - f(b))  # the nodes stop short of it
        return coefficients, float(max(worst, at_the_end))


def fit_rational(
    f: Function,
    low: float,
    high: float,
    degree: int,
    *,
    weight: Function = lambda x: mp.mpf(1),
    digits: int = 50,
    sweeps: int = 20,
) -> tuple[list[float], list[float], float]:
    """Numerator and denominator of equal degree (its constant term 1) as doubles, and the largest weighted error.

    Sanathanan & Koerner's iteration (the linearised error divided by the last denominator), then Lawson's weights.
    """
    with mp.workdps(digits):
        a, b = mp.mpf(low), mp.mpf(high)
        n = 10 * (degree + 1)
        nodes = [(a + b) / 2 - (b - a) / 2 * mp.cos(mp.pi * (2 * i + 1) / (2 * n)) for i in range(n)]
        wanted, weights = [f(x) for x in nodes], [weight(x) for x in nodes]
        basis = [[mp.chebyt(j, (2 * x - a - b) / (b - a)) for j in range(degree + 1)] for x in nodes]
        denominator, lawson = [mp.mpf(1)] * n, [mp.mpf(1) / n] * n
        best = mp.inf
        for sweep in range(sweeps):
            scale = [w / q for w, q in zip(weights, denominator, strict=True)]
            rows = [
                [k * t for t in p] + [-k * y * t for t in p[1:]] for k, p, y in zip(scale, basis, wanted, strict=True)
            ]
            target = [k * y for k, y in zip(scale, wanted, strict=True)]
            columns = 2 * degree + 1
            normal, rhs = mp.matrix(columns, columns), mp.matrix(columns, 1)
            for i in range(columns):
                rhs[i] = mp.fsum(l * r[i] * t for l, r, t in zip(lawson, rows, target, strict=True))
                for j in range(i + 1):
                    normal[i, j] = normal[j, i] = mp.fsum(l * r[i] * r[j] for l, r in zip(lawson, rows, strict=True))
            solution = list(mp.lu_solve(normal, rhs))
            upper, lower = solution[: degree + 1], [mp.mpf(1), *solution[degree + 1 :]]
            denominator = [mp.fdot(lower, p) for p in basis]
            errors = [
                w * abs(mp.fdot(upper, p) / q - y)
                for w, p, q, y in zip(weights, basis, denominator, wanted, strict=True)
            ]
            if max(errors) < best:
                best = max(errors)
                powers = _powers(upper, a, b), _powers(lower, a, b)
            if sweep >= 5:
                total = mp.fsum(l * e for l, e in zip(lawson, errors, strict=True))
                lawson = [l * e / total for l, e in zip(lawson, errors, strict=True)]
        top, bottom = ([float(c / powers[1][0]) for c in p] for p in powers)
        p, q = ([mp.mpf(c) for c in reversed(side)] for side in (top, bottom))
        worst = max(
            w * abs(mp.polyval(p, x) / mp.polyval(q, x) - y) for x, y, w in zip(nodes, wanted, weights, strict=True)
        )
        return top, bottom, float(worst)


def _powers(chebyshev: Sequence[mp.mpf], a: mp.mpf, b: mp.mpf) -> list[mp.mpf]:
    """Coefficients of the powers of x, lowest first, of a Chebyshev series on [a, b]."""
    scale, shift = 2 / (b - a), -(a + b) / (b - a)

    def times_t(p: list[mp.mpf]) -> list[mp.mpf]:
        out = [shift * c for c in p] + [mp.mpf(0)]
        for i, c in enumerate(p):
            out[i + 1] += scale * c
        return out

    result = [mp.mpf(0)] * len(chebyshev)
    older: list[mp.mpf] = []
    newer: list[mp.mpf] = [mp.mpf(1)]
    for c in chebyshev:
        for i, p in enumerate(newer):
            result[i] += c * p
        following = [2 * p for p in times_t(newer)] if older else times_t(newer)
        for i, p in enumerate(older):
            following[i] -= p
        older, newer = newer, following
    return result


if __name__ == "__main__":
    # sin x = x + x^3 s(x^2): s fitted for the smallest error relative to sin
    def s(z: mp.mpf) -> mp.mpf:
        """(sin x - x) / x^3 as a function of z = x^2."""
        x = mp.sqrt(z)
        return (mp.sin(x) - x) / x**3 if z > mp.mpf("1e-12") else -mp.mpf(1) / 6 + z / 120

    for degree in (4, 5):
        c, e = fit(s, 1e-9, float(mp.pi / 4) ** 2, degree, weight=lambda z: z)
        print(degree, [x.hex() for x in c], f"2^{float(mp.log(e, 2)):.1f}")
