"""The tree formulation (minimal coordinates): one recursion from the outermost body to the base."""

from typing import TYPE_CHECKING

from motionbase.lazy import lazily

__all__ = ["Flight", "Loops", "Outputs", "Tree"]

if TYPE_CHECKING:
    from motionbase.multibody.tree.dynamics import Tree
    from motionbase.multibody.tree.flight import Flight
    from motionbase.multibody.tree.loops import Loops
    from motionbase.multibody.tree.outputs import Outputs
else:
    __getattr__, __dir__ = lazily(
        __name__, {"dynamics": ("Tree",), "flight": ("Flight",), "loops": ("Loops",), "outputs": ("Outputs",)}
    )
