"""The scene of a multibody model, out of the text that a model run has in its ring in place of a platform."""

from __future__ import annotations

import json
from functools import lru_cache

from pydantic import ValidationError

from motionbase.console.api.sentences import told
from motionbase.console.models import ModelScene

KIND = "model"


@lru_cache(maxsize=4)
def model_of_text(text: str) -> ModelScene | str | None:
    """The scene in a text; a sentence if the scene cannot be drawn, None if the text is not that of a model."""
    if not text.lstrip().startswith("{"):
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict) or found.get("kind") != KIND:
        return None
    try:
        return ModelScene.model_validate(found)
    except ValidationError as error:
        return f"the scene of model {str(found.get('name'))[:64]!r} cannot be drawn: {told(error.errors()[0])}"


def is_model(text: str) -> bool:
    """Whether a text describes a multibody model, drawable or not."""
    return model_of_text(text) is not None
