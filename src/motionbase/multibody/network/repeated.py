"""Equal groups of bodies and parts in a network, such as the blades of a rotor: one routine may solve for each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence

from motionbase.multibody.network.assembly import Assembly

LEAST = 30  # equations of a group from which a loop over groups pays

Links = list[list[tuple[Hashable, int]]]  # of every vertex: (what joins them, the other vertex)


def repeated_groups(assembly: Assembly) -> list[list[list[int]]]:
    """Families of equal groups, each group by the places of its unknowns; groups of a family are in the same order.

    Bodies and parts are told apart by their kind and by what they are joined to, again and again (Weisfeiler & Leman
    1968). What is like nothing else (hub, swashplate) separates the others into groups. Whether groups are equal to the
    last entry is for the solver to see.
    """
    links = _links(assembly)
    colours = _colours(assembly, links)
    count = Counter(colours)
    repeated = {v for v, colour in enumerate(colours) if count[colour] > 1}
    families: dict[tuple[int, ...], list[list[int]]] = {}
    for group in _components(repeated, links):
        ordered = sorted(group, key=lambda v: (colours[v], v))
        families.setdefault(tuple(colours[v] for v in ordered), []).append(
            [place for v in ordered for place in _places(assembly, v)]
        )
    found = [family for family in families.values() if len(family) > 1 and len(family[0]) >= LEAST]
    inside = sum(len(group) for family in found for group in family)
    return found if inside < assembly.size else []  # something must be left to join them


def _links(assembly: Assembly) -> Links:
    """Vertices are bodies, then parts."""
    bodies = len(assembly.bodies)
    links: Links = [[] for _ in range(bodies + len(assembly.parts))]
    owner = {name: bodies + k for k, part in enumerate(assembly.parts) for name in part.row_names}

    def join(label: Hashable, a: int, b: int) -> None:
        links[a].append((label, b))
        links[b].append((label, a))

    for k, part in enumerate(assembly.parts):
        for at, node in enumerate(part.nodes):
            if node is not None:
                join(at, bodies + k, node)
        for name in part.reads:
            join("reads", bodies + k, owner[name])
    return links


def _colours(assembly: Assembly, links: Links) -> list[int]:
    """A number for every vertex; vertices that differ in kind or surroundings have different ones."""
    kinds: list[Hashable] = [("body", body.unknowns) for body in assembly.bodies]
    colours = _numbered([*kinds, *(part.kind for part in assembly.parts)])
    while True:
        seen = [
            (colour, tuple(sorted((str(label), colours[other]) for label, other in links[v])))
            for v, colour in enumerate(colours)
        ]
        finer = _numbered(seen)
        if len(set(finer)) == len(set(colours)):
            return colours
        colours = finer


def _numbered(values: Sequence[Hashable]) -> list[int]:
    """The same number for equal values, in order of appearance."""
    numbers: dict[Hashable, int] = {}
    return [numbers.setdefault(value, len(numbers)) for value in values]


def _components(vertices: set[int], links: Links) -> list[list[int]]:
    """Connected groups among some vertices."""
    left, found = set(vertices), []
    for first in sorted(vertices):
        if first not in left:
            continue
        group, pending = [], [first]
        left.discard(first)
        while pending:
            v = pending.pop()
            group.append(v)
            for _, other in links[v]:
                if other in left:
                    left.discard(other)
                    pending.append(other)
        found.append(group)
    return found


def _places(assembly: Assembly, v: int) -> range:
    """Of a vertex's unknowns among all."""
    bodies = len(assembly.bodies)
    if v < bodies:
        return range(assembly.node_starts[v], assembly.node_starts[v + 1])
    first = assembly.node_starts[-1]
    return range(first + assembly.own_starts[v - bodies], first + assembly.own_starts[v - bodies + 1])
