"""What all types of the border share."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, TypeAlias, final

from pydantic import BaseModel, ConfigDict
from pydantic_core import CoreSchema, core_schema

SourceName: TypeAlias = Literal["live", "replay"]
Numbers: TypeAlias = list[float | None]  # None stands for a number that is none: JSON has no NaN


@final
class OneOf:
    """Of a text: it is one of these words, as `Literal` says it of words that are written out."""

    def __init__(self, words: Iterable[str]) -> None:
        self.words = list(words)

    def __get_pydantic_core_schema__(self, _source: Any, _handler: Any) -> CoreSchema:
        """For checks, and for the types of the page."""
        return core_schema.literal_schema(self.words)


class Model(BaseModel):
    """Whatever is not known is refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)
