"""A report as one page of HTML that needs nothing from elsewhere, and prints well."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields
from html import escape
from importlib.resources import files
from typing import Any

import numpy as np

from motionbase.actuators.electric import ElectricActuator
from motionbase.actuators.friction import Friction
from motionbase.platform.hexapod import LEGS, Actuator, Hexapod
from motionbase.platform.shape import shape_of
from motionbase.platform.sizing.architecture import condition_words
from motionbase.platform.tables import meaning_of, unit_of
from motionbase.record.axes import DOFS
from motionbase.workbench.maps import MEANING as QUANTITY_MEANING
from motionbase.workbench.plot_space import scene_figure, surface_figure, turns_figure
from motionbase.workbench.plots import as_data, maps_figure, moments_figure
from motionbase.workbench.posture import DEXTERITIES
from motionbase.workbench.report import Document, Report, fingerprint, versions
from motionbase.workbench.requirements import Row, legs_out
from motionbase.workbench.surface import END_MEANING

STYLE = files(__package__).joinpath("report.css").read_text()
DPI = 130  # sharp enough on paper
PAIRS = 16  # of the table of clearances
Rows = Iterable[Sequence[str]]
DEFINITIONS = (
    ("bearing angles", "A leg has two bearings at each end, in cascade; both angles are 0 at neutral. Where the preset "
     "names no axes, the first bearing is horizontal and normal to the leg there. Derived for this suite."),
    ("rod rotation", "The turn of the rod in its cylinder about the leg, from neutral; it follows from the two "
     "universal joints. Derived for this suite."),
    ("64 extremes", "Every leg fully in or fully out, all combinations, as the Cockpit Motion Facility's tools swept "
     "them (Bryant and Carrelli, Software Tools for Developing and Simulating the NASA LaRC CMF Motion Base)."),
    ("characteristic condition number", "Largest over least singular value of the leg Jacobian whose columns for turns "
     "are divided by the rms radius of the platform's joints (Angeles), so that all columns are plain numbers and the "
     "unit of length does not matter: 1 where all directions are alike, infinite where the pose is singular. Tables, "
     "maps and commands all use this one."),
    ("derived dimensions", "Parts whose dimensions the platform's file does not give are drawn with dimensions derived "
     "from joints, strokes and piston areas. Distances to such parts are an indication and are not judged."),
    ("clearance", "Least distance between the meshes of two parts, by coal; overlap is interference, and has no "
     "distance. Round parts are drawn around, so clearances err on the small side. Less than an inch was of concern at "
     "the Cockpit Motion Facility (the same paper); the threshold of the warning is illustrative."),
    ("single-axis limits", "Where the first leg reaches an end of its operational stroke along or about one axis, in "
     "closed form."),
    ("workspace", "Rays from neutral to the first pose that is out of reach; volumes by Gauss's rule over all "
     "directions, as seen from neutral."),
)  # fmt: skip


def page(report: Report) -> str:
    """The whole text."""
    sections = (
        _platform,
        _actuators,
        _single_axes,
        _extremes,
        _joints,
        _clearances,
        _workspace,
        _maps,
        _singular,
        _recording,
    )
    drawn = pictures(report)
    body = "\n".join(section(report, drawn) for section in sections)
    hexapod = report.hexapod
    title = f"{hexapod.name}: kinematics"
    return f"""<!doctype html>
<html lang="en-GB"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{escape(title)}</title><style>{STYLE}{page_rules(hexapod, report.document)}</style></head><body>
{header(hexapod, report.document, f"motionbase {versions()['motionbase']}")}
{_cards(report)}
{body}
{_definitions()}
</body></html>
"""


def _cards(report: Report) -> str:
    worst = report.extremes.clearances.least
    gap = "beyond reach" if worst is None else _mm(worst.gap.distance)
    verdict = report.verdict(worst.gap.first, worst.gap.second, worst.gap.distance) if worst else "clear"
    items = (
        ("stroke", f"{report.hexapod.stroke.length:.3f} m", "operational"),
        ("workspace", f"{report.reach.volume:.3g} m³", "level attitude"),
        ("any attitude", f"about {report.any_attitude.volume:.3g} m³", "searched from inside"),
        ("least dexterity", f"{report.worst.dexterity:.3f}", "found within the strokes"),
        ("worst clearance", gap, f"{_badge(verdict)} at the 64 extremes"),
    )
    cells = "".join(f'<div class="card"><p>{a}</p><strong>{b}</strong><small>{c}</small></div>' for a, b, c in items)
    return f'<div class="cards">{cells}</div>'


def _platform(report: Report, drawn: dict[str, str]) -> str:
    h = report.hexapod

    def star(key: str) -> str:
        return "<sup>*</sup>" if _is_illustrative(report, key) else ""

    joints = [(str(k + 1), _place(h.base[k]), _place(h.joints[k]), f"{h.l_neutral[k]:.4f}") for k in range(len(h.base))]
    s, limits = h.stroke, h.limits
    numbers = [
        (f"operational stroke{star('stroke')}", f"{s.l_min:g} to {s.l_max:g} m"),
        (f"hard ends{star('stroke')}", f"{s.hard_min:g} to {s.hard_max:g} m"),
        (f"neutral{star('p_neutral')}", f"{_place(h.p_neutral)} m"),
        (f"payload{star('payload')}", f"{h.payload.mass:g} kg, centre of mass {_place(h.payload.com)} m in P"),
        (f"velocity limits{star('limits.velocity')}",
         ", ".join(f"{v:g}" for v in limits.velocity[:3]) + " m/s; "
         + ", ".join(f"{v:g}" for v in limits.velocity[3:]) + " rad/s"),
        (f"leg velocity{star('limits.leg_velocity')}", f"{limits.leg_velocity:g} m/s"),
        (f"bearings at the base{star('gimbals')}", _degrees_pair(h.gimbals.base)),
        (f"bearings at the platform{star('gimbals')}", _degrees_pair(h.gimbals.platform)),
        ("cylinder and rod, radius", "{:.3f} and {:.3f} m".format(*_radii(report))),
    ]  # fmt: skip
    known = ", ".join(sorted(h.shape.given)) or "nothing; all dimensions of parts are derived, and illustrative"
    sources = "".join(f"<li>{escape(one)}</li>" for one in h.sources)
    return _section("Platform", f"""
<div class="two"><div>{table(("what", "value"), numbers, left=2)}</div>
<div>{table(("leg", f"base joint in W{star('base')} [m]", f"platform joint in P{star('joints')} [m]", "neutral [m]"),
             joints)}</div></div>
<h3>Sources</h3><ul>{sources}</ul>
<p><b>Illustrative<sup>*</sup></b>, published by nobody: {escape(', '.join(h.illustrative) or 'nothing')}.
Dimensions of parts that the platform gives: {escape(known)}.</p>""")  # fmt: skip


def _is_illustrative(report: Report, key: str) -> bool:
    return any(key == one or key.startswith(f"{one}.") for one in report.hexapod.illustrative)


def _actuators(report: Report, drawn: dict[str, str]) -> str:
    return _section("Actuators", actuators(report.hexapod, _is_illustrative(report, "actuator")))


def _single_axes(report: Report, drawn: dict[str, str]) -> str:
    corners = report.extremes.extremes
    reached = corners.dof[corners.converged]
    rows = []
    for k, name in enumerate(DOFS):
        scale, unit, digits = (1.0, "m", 3) if k < 3 else (float(np.degrees(1)), "deg", 1)
        pairs = report.limits[k], (reached[:, k].min(), reached[:, k].max())
        shown = [" to ".join(f"{scale * x:+.{digits}f}" for x in pair) for pair in pairs]
        rows.append((name, *shown, f"±{scale * report.hexapod.limits.position[k]:.{digits}f}", unit))
    head = "axis", "alone", "over the 64 extremes", "may be commanded", "unit"
    return _section("How far it goes from neutral", table(head, rows))


def _extremes(report: Report, drawn: dict[str, str]) -> str:
    rows = []
    for one in report.extreme_rows():
        if not one["reached"]:
            rows.append((str(one["number"]), _legs(one["number"]), *["–"] * 9))
            continue
        dof = [_signed(x, 3) for x in one["dof"][:3]] + [_signed(float(np.degrees(x)), 1) for x in one["dof"][3:]]
        near = "" if one["clearance_m"] is None else f"{1000 * one['clearance_m']:.0f} "
        cells = f"{one['dexterity']:.3f}", condition_words(one["condition"], 2), f"{near}{_badge(one['verdict'])}"
        rows.append((str(one["number"]), _legs(one["number"]), *dof, *cells))
    head = ("no.", "legs out", "surge [m]", "sway [m]", "heave [m]", "roll [°]", "pitch [°]", "yaw [°]", "dexterity",
            "condition number", "clearance [mm]")  # fmt: skip
    count = int(report.extremes.extremes.converged.sum())
    return _section("The 64 extremes", f"<p>{count} of 64 have a pose, found from neutral.</p>"
                    + table(head, rows, "small"))  # fmt: skip


def _joints(report: Report, drawn: dict[str, str]) -> str:
    gimbals = report.hexapod.gimbals
    allowed = {
        "base, first bearing": gimbals.base[0], "base, second bearing": gimbals.base[1],
        "platform, first bearing": gimbals.platform[0], "platform, second bearing": gimbals.platform[1],
    }  # fmt: skip
    rows = []
    for joint, need in report.extremes.largest.items():
        limit = allowed.get(joint)
        spare = "–" if limit is None else f"{np.degrees(limit - need.largest):.1f}"
        shown = "–" if limit is None else f"±{np.degrees(limit):.1f}"
        from_legs = next(r for r in report.extremes.angle_rows() if r["joint"] == joint and r["leg"] == need.leg)
        at = from_legs["at_most"] if need.most >= -need.least else from_legs["at_least"]
        rows.append((joint, f"{np.degrees(need.largest):.2f}", str(need.leg), escape(str(at)), shown, spare))
    head = "joint", "largest [deg]", "leg", "where", "range [deg]", "left [deg]"
    every = [
        (str(r["joint"]), str(r["leg"]), f"{r['least_deg']:+.2f}", escape(str(r["at_least"])), f"{r['most_deg']:+.2f}",
         escape(str(r["at_most"])))
        for r in report.extremes.angle_rows()
    ]  # fmt: skip
    details = table(("joint", "leg", "least [deg]", "there", "most [deg]", "there"), every, "small")
    return _section("What the joints must allow", table(head, rows) + f"<h3>Leg by leg</h3>{details}")


def _clearances(report: Report, drawn: dict[str, str]) -> str:
    limits, found = report.thresholds, report.clearance_rows()
    rows = [
        (escape(f"{r['first']} and {r['second']}"), _millimetres(r["distance_m"]), _badge(str(r["verdict"])),
         escape(str(r["at"])), str(count))
        for r, count in _by_kinds(found)[:PAIRS]
    ]  # fmt: skip
    words = (
        f"Stop below {1000 * limits.stop:g} mm, warn below {1000 * limits.warn:g} mm. {len(found)} pairs come within "
        f"{1000 * report.extremes.clearances.within:g} mm at the 64 extremes; of each two kinds of parts, the "
        "nearest pair is shown. "
        f"{len(report.clearance.geometry.left_out)} pairs that a joint holds together, or that are one body, are left "
        "out."
    )
    if any(row["verdict"] == "derived" for row in found):
        words += (
            " Where a part is drawn with <b>derived</b> dimensions, which its maker has not given, the distance is an "
            "indication and is not judged; [shape] or [[meshes]] of the platform's file give the real ones."
        )
    warned = "".join(f"<p>{escape(one.sentence)}</p>" for one in report.clearance.geometry.warnings)
    listed = (
        table(("parts", "clearance [mm]", "verdict", "where", "pairs"), rows) if rows else "<p>No parts come near.</p>"
    )
    figure = _figure(drawn, "worst", "The worst pose; the nearest parts in colour, and from near.")
    return _section("Clearances", f"<p>{words}</p>{warned}{listed}{figure}")


def _by_kinds(rows: list[Row]) -> list[tuple[Row, int]]:
    """The nearest pair of each two kinds of parts, and how many pairs of them come near."""
    found: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        one, other = sorted((_kind(row["first"]), _kind(row["second"])))
        found.setdefault((one, other), []).append(row)
    return [(near[0], len(near)) for near in found.values()]


def _legs(number: int) -> str:
    """Of an extreme: the legs that are out, short."""
    return " ".join(str(k + 1) for k in range(LEGS) if number >> k & 1) or "none"


def _kind(name: object) -> str:
    """Of a part: "rod" of "rod 3"."""
    return str(name).rstrip("0123456789 ")


def _workspace(report: Report, drawn: dict[str, str]) -> str:
    shares = ", ".join(f"{END_MEANING[name]} {share:.0%}" for name, share in report.reach.shares.items())
    words = (
        f"Without turning it reaches {report.reach.volume:.4g} m³; of all directions, rays are ended by: {shares}. "
        f"With any attitude it reaches about {report.any_attitude.volume:.4g} m³ ({report.any_attitude.notes[0]}). "
        f"Legs' axes stay {report.space.thickness:.3f} m apart; clearances of parts are not a limit here."
    )
    first = _figure(drawn, "reach", "Where it gets with level attitude, coloured by what ends it.")
    second = _figure(drawn, "turns", "How far it turns about every axis at neutral.")
    return _section("Workspace", f"<p>{escape(words)}</p>{first}{second}")


def _maps(report: Report, drawn: dict[str, str]) -> str:
    words = "".join(f"<li><b>{name}</b>: {escape(text)}</li>" for name, text in QUANTITY_MEANING.items())
    captions = (f"Over {DOFS[maps[0].across]} and {DOFS[maps[0].up]}, the others at neutral" for maps in report.planes)
    figures = "".join(_figure(drawn, f"map{k}", f"{one}; white is out of reach.") for k, one in enumerate(captions))
    return _section("Dexterity, conditioning, leg rates and forces", f"<ul>{words}</ul>{figures}")


def _singular(report: Report, drawn: dict[str, str]) -> str:
    worst = report.worst
    at = [f"{name} {_signed(x, 3)} m" for name, x in zip(DOFS[:3], worst.dof[:3], strict=True)]
    at += [f"{name} {_signed(x, 1)}°" for name, x in zip(DOFS[3:], np.degrees(worst.dof[3:]), strict=True)]
    said = worst.sentence[0].upper() + worst.sentence[1:]
    return _section("Singular poses", f"<p>{escape(said)}.</p><p>The worst pose found: {', '.join(at)}.</p>")


def _recording(report: Report, drawn: dict[str, str]) -> str:
    if report.moments is None:
        return ""
    facts = report.moment_facts(report.moments)
    near = facts["worst_clearance"]
    words = f"{facts['moments']} records of {facts['seconds']:.1f} s; least dexterity {facts['least_dexterity']:.4f}; "
    if near is None:
        words += "no parts come near."
    else:
        words += (
            f"worst clearance {near['first']} and {near['second']}, {_mm(near['distance_m'])}, at {near['t']:.2f} s: "
        )
        words += f"{near['verdict']}."
    figure = _figure(drawn, "recording", "Legs within their strokes, bearing angles, dexterity and clearance.")
    return _section(f"Recording {escape(report.moments.name)}", f"<p>{escape(words)}</p>{figure}")


def _definitions() -> str:
    dexterity = f"6 / √(tr(KKᵀ) tr((KKᵀ)⁻¹)) of the leg Jacobian K; {DEXTERITIES['characteristic']}"
    rows = [("dexterity, characteristic", escape(dexterity)), *((name, escape(text)) for name, text in DEFINITIONS)]
    used = ", ".join(f"{name} {number}" for name, number in versions().items())
    words = (
        "The unit-independent dexterity of the Cockpit Motion Facility's tools has no public definition; the report "
        "uses the characteristic one."
    )
    listed = table(("what", "definition"), rows, left=2)
    return _section("Definitions", f"<p>{words}</p>{listed}<footer>{escape(used)}</footer>")


def _section(title: str, body: str) -> str:
    return f"<section><h2>{title}</h2>{body}</section>"


def _figure(drawn: dict[str, str], name: str, caption: str) -> str:
    if name not in drawn:
        return ""
    alt = escape(caption)
    return f'<figure><img alt="{alt}" src="{drawn[name]}"><figcaption>{alt}</figcaption></figure>'


def _badge(verdict: str) -> str:
    return f'<span class="v {verdict}">{verdict}</span>'


def _mm(distance: float | None) -> str:
    return "interference" if distance is None else f"{1000 * distance:.1f} mm"


def _millimetres(distance: Any) -> str:
    return "–" if distance is None else f"{1000 * distance:.1f}"


def _signed(x: float, digits: int) -> str:
    """Without negative zeros."""
    return f"{round(x, digits) + 0.0:+.{digits}f}"


def _place(xyz: Sequence[float]) -> str:
    return f"({', '.join(f'{x:.3f}' for x in xyz)})"


def _degrees_pair(pair: Sequence[float]) -> str:
    return "±" + " and ±".join(f"{np.degrees(x):g}°" for x in pair)


def _radii(report: Report) -> tuple[float, float]:
    shape = shape_of(report.hexapod)
    return shape.cylinder_radius, shape.rod_radius


def table(head: Sequence[str], rows: Rows, kind: str = "", left: int = 1) -> str:
    """Cells are HTML; numbers are to the right, words to the left by their looks."""
    lines = [[(cell, _is_number(cell, k < left)) for k, cell in enumerate(row)] for row in rows]
    to_right = [all(line[k][1] for line in lines) for k in range(len(head))]
    heads = "".join(_cell("th", cell, right) for cell, right in zip(head, to_right, strict=True))
    lines_text = "".join(f"<tr>{''.join(_cell('td', *cell) for cell in line)}</tr>" for line in lines)
    return f'<table class="{kind}"><thead><tr>{heads}</tr></thead><tbody>{lines_text}</tbody></table>'


def _is_number(text: str, left: bool) -> bool:
    return not left and text[:1] in "+-±–0123456789(" and not text[-1:].isalpha()


def _cell(tag: str, text: str, right: bool) -> str:
    return f'<{tag} class="n">{text}</{tag}>' if right else f"<{tag}>{text}</{tag}>"


def pictures(report: Report) -> dict[str, str]:
    """By name: reach, turns, map0, map1, worst and recording where there is one."""
    h = report.hexapod
    made = {
        "reach": surface_figure(h, report.reach, report.space, report.any_attitude),
        "turns": turns_figure(h, report.turns),
        **{f"map{k}": maps_figure(h, list(plane)) for k, plane in enumerate(report.planes)},
    }
    worst = report.extremes.clearances.least
    if worst is not None:
        number = int(report.extremes.numbers[worst.pose])
        poses = report.extremes.extremes
        title = f"{h.name}: {legs_out(number)}"
        geometry = report.clearance.geometry
        verdict = report.verdict(worst.gap.first, worst.gap.second, worst.gap.distance)
        made["worst"] = scene_figure(geometry, poses.p_W[number], poses.Q_WP[number], worst.gap, title, verdict)
    if report.moments is not None:
        made["recording"] = moments_figure(report, report.moments)
    return {name: as_data(figure, DPI) for name, figure in made.items()}


def header(platform: Hexapod, document: Document, made_with: str) -> str:
    """Title and the block of the document."""
    rows = [
        ("Date", document.date),
        ("Revision", document.revision),
        ("Author", document.author or "not named"),
        *((("For", document.customer),) if document.customer else ()),
        ("Data", f"{platform.name}, fingerprint {fingerprint(platform)}"),
        ("Made with", made_with),
    ]
    cells = "".join(f"<div><dt>{name}</dt><dd>{escape(value)}</dd></div>" for name, value in rows)
    return f"""<header><p class="kind">Kinematics report</p><h1>{escape(platform.name)}</h1>
<p>{escape(platform.summary)}</p><dl class="document">{cells}</dl></header>"""


def page_rules(platform: Hexapod, document: Document) -> str:
    """What stands at the foot of every printed page; browsers number the pages."""
    left = f"{platform.name}, kinematics, revision {document.revision}, {document.date}"
    return (
        "@page { @bottom-left { content: " + _quoted(left) + "; } "
        '@bottom-right { content: "page " counter(page) " of " counter(pages); } }'
    )


def actuators(platform: Hexapod, starred: bool) -> str:
    """All numbers of the legs' actuators, with units and meanings."""
    kind = "electric" if isinstance(platform.actuator, ElectricActuator) else "hydraulic"
    star = "<sup>*</sup>" if starred else ""
    rows = [
        (f"<code>{name}</code>", value, unit, escape(text.replace("`", "")))
        for name, value, unit, text in _numbers(platform.actuator)
    ]
    words = f"Six {kind} legs, all alike{', illustrative' if starred else ''}{star}."
    return f"<p>{words}</p>" + table(("key", "value", "unit", "meaning"), rows, "small")


def _numbers(actuator: Actuator) -> Iterator[tuple[str, str, str, str]]:
    for part, prefix in ((actuator, ""), (actuator.friction, "friction.")):
        cls: type[Any] = type(part)
        for f in fields(cls):
            if not isinstance(getattr(part, f.name), Friction):
                yield f"{prefix}{f.name}", f"{getattr(part, f.name):.6g}", unit_of(cls, f.name), meaning_of(cls, f.name)


def _quoted(text: str) -> str:
    """A string of CSS."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("<", "\\3c ") + '"'
