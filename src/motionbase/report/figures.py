"""Pictures in the style of the reports, as files or inside a page."""

from __future__ import annotations

import base64
import io
from pathlib import Path
from typing import TYPE_CHECKING

from motionbase.errors import UsageError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ENDINGS = (".png", ".pdf", ".svg")
DPI = 110
PRINT_DPI = 130  # sharp enough for print
INK, GREY, LIGHT = "#24292f", "#8b949e", "0.92"


def new_figure(width: float, height: float) -> Figure:
    """A matplotlib figure without pyplot: no display, no state, nothing to close."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def quiet_grid(axes: Axes) -> None:
    """Draw light grid lines behind the curves."""
    axes.grid(color=LIGHT)
    axes.set_axisbelow(True)


def save(figure: Figure, path: Path | str) -> None:
    """Save a figure as PNG, PDF or SVG, by the ending of the name."""
    path = Path(path)
    if path.suffix not in ENDINGS:
        raise UsageError(f"cannot draw {str(path)!r}: the name must end in .png, .pdf or .svg")
    try:
        figure.savefig(path, dpi=DPI)
    except OSError as e:
        raise UsageError(f"cannot write {str(path)!r}: {e.strerror}") from None


def as_data(figure: Figure, dpi: int = PRINT_DPI) -> str:
    """A figure as a data URL of a PNG, to embed in a page."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=dpi)
    return "data:image/png;base64," + base64.b64encode(buffer.getvalue()).decode()


def rgb(colour: str) -> tuple[float, float, float]:
    """Red, green and blue of #rrggbb, 0 to 1 each."""
    r, g, b = (int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5))
    return r, g, b
