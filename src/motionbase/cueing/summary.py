"""What a run of cueing comes to: perceived error, peaks, stroke, saturation, tilt."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np

from motionbase.arrays import Array
from motionbase.cueing.cueing import PREDICTIVE, PREFIXES
from motionbase.cueing.ports import FRAME
from motionbase.cueing.run import Cued
from motionbase.cueing.vestibular import THRESHOLDS
from motionbase.platform.sizing.forces import LegMotion, Motion
from motionbase.record.cueing import SIX
from motionbase.record.vehicle import G

AXES = tuple(f"{name}_{axis}" for name, axis in SIX)
REST = np.array([0.0, 0.0, G, 0.0, 0.0, 0.0])
TILT_THRESHOLDS = (THRESHOLDS[4], THRESHOLDS[3])  # [rad/s] pitch, roll: as the tilts


@final
@dataclass(frozen=True, eq=False)
class Summary:
    """Figures of a run; six numbers are for specific force along x, y, z and rates about x, y, z."""

    run: Cued

    def _rms(self, name: str) -> Array:
        return np.asarray(np.sqrt(np.mean(self.run[name] ** 2, axis=0)) / THRESHOLDS)

    @cached_property
    def error(self) -> Array:
        """(6,) root mean square of the difference of the two feelings, in thresholds."""
        gap = self.run["felt_vehicle"] - self.run["felt_cue"]
        return np.asarray(np.sqrt(np.mean(gap**2, axis=0)) / THRESHOLDS)

    @cached_property
    def at_rest(self) -> Array:
        """(6,) what it would be if the platform stood still."""
        return self._rms("felt_vehicle")

    @property
    def total(self) -> float:
        """Root mean square over time and axes, in thresholds."""
        return float(np.sqrt(np.mean(self.error**2)))

    @property
    def share(self) -> float:
        """Error divided by that of a platform that stands still; 0 if the vehicle does nothing."""
        whole = float(np.sqrt(np.mean(self.at_rest**2)))
        return self.total / whole if whole > 0 else 0.0

    def peak(self, name: str) -> Array:
        """(6,) largest deviation of "demand" or "cue" from rest, in SI."""
        return np.asarray(np.abs(self.run[name] - REST).max(axis=0))

    @cached_property
    def legs(self) -> LegMotion:
        """Motion of the legs."""
        x, x_dot, x_ddot = np.moveaxis(self.run[FRAME.name], 1, 0)
        platform = self.run.cueing.platform
        return LegMotion(platform, Motion.of_dof(platform, x, x_dot, x_ddot))

    @cached_property
    def used(self) -> Array:
        """(6,) share of the stroke that each leg goes through."""
        stroke = self.run.cueing.platform.stroke
        return np.asarray(np.ptp(self.run.legs, axis=0) / (stroke.l_max - stroke.l_min))

    @property
    def left(self) -> float:
        """Least way of a leg to an end of its stroke; negative beyond [m]."""
        return float(self.run["stroke_left"].min())

    @property
    def speed_limit(self) -> float:
        """Largest rate of a leg that may be commanded [m/s]."""
        return float(self.run.cueing.platform.limits.leg_velocity)

    @property
    def leg_speed(self) -> float:
        """Of the fastest leg [m/s]."""
        return float(np.abs(self.legs.l_dot).max())

    @cached_property
    def saturated(self) -> Array:
        """(6,) share of the time in which the scaled signal is beyond its saturation; plans have none."""
        if self.run.cueing.algorithm == PREDICTIVE:
            return np.zeros(6)
        layout, ground = self.run.cueing.parameters, self.run["cue_set"][:, None]

        def mixed(name: str) -> Array:
            air, land = (layout.part(self.run.parameters, prefix + name) for prefix in PREFIXES.values())
            return np.asarray(air + ground * (land - air))

        beyond = np.maximum(np.abs(self.run["demand"] - REST) - 2 * mixed("dead_band"), 0.0)  # as `algorithm.beyond`
        return np.asarray((mixed("gain") * beyond > mixed("saturation")).mean(axis=0))

    @property
    def tilt(self) -> dict[str, float] | None:
        """Largest rate of the tilt in pitch and roll, in thresholds; None if the algorithm tells none."""
        if self.run.tilts is None:
            return None
        peaks = np.abs(self.run.tilts).max(axis=0) / TILT_THRESHOLDS
        return dict(zip(("pitch", "roll"), peaks.tolist(), strict=True))

    def data(self) -> dict[str, Any]:
        """For JSON."""
        by_axis = {
            "error_thresholds": self.error, "error_at_rest_thresholds": self.at_rest,
            "peak_demand": self.peak("demand"), "peak_cue": self.peak("cue"), "saturated_share": self.saturated,
        }  # fmt: skip
        return {
            "duration_s": float(self.run.t[-1] - self.run.t[0]),
            "ticks": len(self.run.t),
            "error_thresholds": self.total,
            "error_share": self.share,
            "axes": {axis: {name: float(x[k]) for name, x in by_axis.items()} for k, axis in enumerate(AXES)},
            "stroke_used": self.used.tolist(),
            "stroke_left_m": self.left,
            "leg_speed_m_s": self.leg_speed,
            "leg_speed_limit_m_s": self.speed_limit,
            "tilt_rate_thresholds": self.tilt,
        }
