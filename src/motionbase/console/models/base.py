"""What all types of the border share."""

from __future__ import annotations

from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict

SourceName: TypeAlias = Literal["live", "replay"]
Numbers: TypeAlias = list[float | None]  # None stands for a number that is none: JSON has no NaN


class Model(BaseModel):
    """Whatever is not known is refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)
