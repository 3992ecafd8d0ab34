"""A simulated hydraulic power unit: pump, accumulators, oil, and what can be wrong with them.

Only the usual supply pressure is a published one, of a research simulator (160 bar). All other numbers are
illustrative, and so are the laws for heat and leakage.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

PRESSURE = 160e5  # [Pa]
FLOW = 2.5e-3  # [m^3/s] of the pump at full speed, 150 l/min
BAND = 0.06  # part of the set pressure, below it, in which the pump reduces its flow
START, STOP = 1.5, 1.0  # [s] that the pump takes to start and to stop
GAS, PRECHARGE = 20e-3, 0.6  # [m^3] of the accumulators, and their pressure without oil, as part of the set pressure
STIFF = 5e-11  # [m^3/Pa] of lines and oil alone
LEAKAGE = 2e-12  # [m^3/(s Pa)]
DUMP = 1e-6  # [m^3/(s sqrt(Pa))] through the valve that empties the accumulators when the pump stops
BACK, BACK_FLOW = 3e5, 2.5e-3  # [Pa] in the return line at a flow [m^3/s]
OIL, HEAT = 0.3, 870.0 * 1900.0  # [m^3], [J/(m^3 K)]
STANDBY, LOST = 4e3, 0.35  # [W] of the running pump, and the part of the hydraulic power that heats the oil
COOLING, COOL_FROM = 600.0, 313.15  # [W/K] of the cooler, above this temperature [K]
WALLS, AMBIENT = 25.0, 293.15  # [W/K] through the tank's walls, [K]
STEP = 2e-3  # [s] of the simulation
OVERHEATED, DRY, WATCHDOG = 358.15, 0.1, 1 << 15  # [K], part of full at which the unit trips itself; its alarm bit


@final
@dataclass
class SimulatedPowerUnit:
    """A unit whose time moves on as far as `advance` is told. Attributes may be set at any time, as faults are.

    Attributes:
        setting: pressure that the pump's compensator keeps [Pa]
        pressure: of the supply [Pa]
        temperature: of the oil [K]
        level: of the oil, as a part of a full tank
        speed: of the pump, 0 to 1
        commanded: it was told to run
        use: flow that the legs take [m^3/s]
        spill: oil that is lost [parts of the tank per second]
        alarms: word of the unit's own alarms
        stuck: the pump does not start
        burst: a hose is open: no pressure
        cooled: the cooler works
        watchdog: time without a heartbeat after which the pump stops [s]; None if it has none
    """

    setting: float = PRESSURE
    pressure: float = 0.0
    temperature: float = 313.15
    level: float = 0.8
    speed: float = 0.0
    commanded: bool = False
    use: float = 0.0
    spill: float = 0.0
    alarms: int = 0
    stuck: bool = False
    burst: bool = False
    cooled: bool = True
    watchdog: float | None = None

    def __post_init__(self) -> None:
        self.time, self._beaten_at = 0.0, 0.0
        self._out = 0.0

    @property
    def running(self) -> bool:
        """The pump turns fast enough to be called so."""
        return self.speed > 0.5

    @property
    def back(self) -> float:
        """Pressure of the return line [Pa]."""
        return 0.5e5 + BACK * (self._out / BACK_FLOW) ** 2

    @property
    def share(self) -> float:
        """Part of the legs' speed for which there is pressure: flow through an orifice."""
        return math.sqrt(min(max(self.pressure / self.setting, 0.0), 1.0))

    def command(self, on: bool) -> None:
        """Run or stop; alarms are acknowledged by a stop."""
        self.commanded = on
        self._beaten_at = self.time
        if not on:
            self.alarms &= ~WATCHDOG

    def beat(self) -> None:
        """A heartbeat has come."""
        self._beaten_at = self.time

    def advance(self, now: float) -> None:
        """Run until a time [s]."""
        steps = round((now - self.time) / STEP)
        for _ in range(steps):
            self._step(STEP)
            self.time += STEP

    def _step(self, h: float) -> None:
        if self.watchdog is not None and self.commanded and self.time - self._beaten_at > self.watchdog:
            self.alarms |= WATCHDOG
        if self.alarms or self.temperature > OVERHEATED or self.level < DRY:
            self.commanded = False  # its own protection
        turns = self.commanded and not self.stuck
        self.speed = min(self.speed + h / START, 1.0) if turns else max(self.speed - h / STOP, 0.0)
        pumped = FLOW * self.speed * self._wanted() if self.running else 0.0
        root = math.sqrt(self.pressure)
        dumped = 0.0 if self.running else DUMP * root
        self._out = LEAKAGE * self.pressure + dumped + (self.use if self.pressure > 0 else 0.0)
        if self.burst:
            self._out += 10 * DUMP * root
        empty = PRECHARGE * self.setting
        gas = GAS * empty / self.pressure**2 if self.pressure > empty else 0.0
        self.pressure = max(self.pressure + h * (pumped - self._out) / (STIFF + gas), 0.0)
        power = (STANDBY + LOST * pumped * self.pressure) * self.running
        cooling = COOLING * max(self.temperature - COOL_FROM, 0.0) * self.cooled
        lost = cooling + WALLS * (self.temperature - AMBIENT)
        self.temperature += h * (power - lost) / (OIL * HEAT)
        self.level = max(self.level - h * self.spill, 0.0)

    def _wanted(self) -> float:
        """Part of the pump's flow that its compensator lets through."""
        return min(max((1 - self.pressure / self.setting) / BAND, 0.0), 1.0)
