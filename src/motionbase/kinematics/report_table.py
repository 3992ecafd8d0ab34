"""Tables of a report as HTML."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

Rows = Iterable[Sequence[str]]


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
