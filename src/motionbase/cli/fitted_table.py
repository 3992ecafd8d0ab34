"""A table that breaks lines only between words, and is printed in parts if the terminal is too narrow."""

from __future__ import annotations

from typing import final

from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table


@final
class FittedTable(Table):
    """A Rich table that never narrows columns below their longest word, so that names do not break ('valve_hard_ou/t').

    Columns keep their longest word and share the remaining width. If that is still too wide, the table is printed in
    parts, one below the other, each with the first column. Only a word wider than the terminal is broken.
    """

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Lines of one table, or of its parts."""
        ranges = [self._measure_column(console, options.update_width(10_000), column) for column in self.columns]
        most = [r.maximum for r in ranges]
        least = [r.maximum if column.no_wrap else r.minimum for r, column in zip(ranges, self.columns, strict=True)]
        room = options.max_width - self._extra_width
        if sum(most) <= room or not self.rows:
            yield from super().__rich_console__(console, options)
            return
        if sum(least) <= room or len(self.columns) <= 2:
            self._share(least, most, room)
            yield from super().__rich_console__(console, options)
            return
        for k, part in enumerate(_parts(least, options.max_width - 2)):
            yield from self._part(part, first=k == 0).__rich_console__(console, options)

    def _share(self, least: list[int], most: list[int], room: int) -> None:
        """Widths between the longest word and the whole text; if necessary, the last column is narrowed further."""
        left, wanted = room - sum(least), sum(most) - sum(least)
        widths = [low + max(0, left) * (high - low) // max(1, wanted) for low, high in zip(least, most, strict=True)]
        widths[-1] += min(0, left)
        for k, column in enumerate(self.columns):
            column.width = max(1, widths[k] - self._get_padding_width(k))

    def _part(self, columns: list[int], *, first: bool) -> FittedTable:
        """A part with some of the columns, with the title if it is the first."""
        title = self.title if first else None
        part = FittedTable(title=title, title_justify="left", box=self.box, pad_edge=self.pad_edge)
        cells = [list(self.columns[k].cells) for k in columns]
        for k in columns:
            whole = self.columns[k]
            part.add_column(whole.header, justify=whole.justify, overflow=whole.overflow, no_wrap=whole.no_wrap)
        for row, texts in zip(self.rows, zip(*cells, strict=True), strict=True):
            part.add_row(*texts, style=row.style, end_section=row.end_section)
        return part


def _parts(least: list[int], width: int) -> list[list[int]]:
    """Columns of each part: the first, and as many more as have room for their longest words."""
    parts, used = [[0]], least[0]
    for k, needed in enumerate(least[1:], start=1):
        if len(parts[-1]) > 1 and used + 1 + needed > width:
            parts.append([0])
            used = least[0]
        parts[-1].append(k)
        used += 1 + needed
    return parts
