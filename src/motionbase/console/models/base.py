"""Base of all types of the interface."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal, TypeAlias, final

from pydantic import BaseModel, ConfigDict
from pydantic_core import CoreSchema, core_schema

SourceName: TypeAlias = Literal["live", "replay"]
Numbers: TypeAlias = list[float | None]  # None stands for NaN, which JSON does not have


@final
class OneOf:
    """Annotation of a text that must be one of these words, like `Literal` for words from a variable."""

    def __init__(self, words: Iterable[str]) -> None:
        self.words = list(words)

    def __get_pydantic_core_schema__(self, _source: Any, _handler: Any) -> CoreSchema:
        """Schema for validation and for the types of the page."""
        return core_schema.literal_schema(self.words)


class Model(BaseModel):
    """A model that refuses unknown fields."""

    model_config = ConfigDict(extra="forbid", frozen=True)
