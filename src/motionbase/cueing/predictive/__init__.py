"""Model-predictive cueing: every hundredth of a second the best motion of the next two seconds, within the legs."""

from typing import TYPE_CHECKING

from motionbase.lazy import lazily

__all__ = ["Constant", "Driver", "Plan", "Planner", "Weights", "Where", "follow", "sampled"]

if TYPE_CHECKING:
    from motionbase.cueing.predictive.forecast import Constant, Driver, sampled
    from motionbase.cueing.predictive.offline import follow
    from motionbase.cueing.predictive.planner import Plan, Planner, Where
    from motionbase.cueing.predictive.weights import Weights
else:
    __getattr__, __dir__ = lazily(
        __name__,
        {
            "forecast": ("Constant", "Driver", "sampled"),
            "offline": ("follow",),
            "planner": ("Plan", "Planner", "Where"),
            "weights": ("Weights",),
        },
    )
