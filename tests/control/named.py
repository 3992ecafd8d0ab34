"""Units over structs, called with the quantities of their structs by name."""

from typing import Any, Literal

from motionbase.compile import Unit, compile

Target = Literal["llvm", "python", "c"]


class Named:
    """A compiled unit; a struct is given as a whole or by its quantities, and what is missing is as designed."""

    def __init__(self, unit: Unit, target: Target = "llvm") -> None:
        self.unit, self.run = unit, compile(unit, target)

    def __call__(self, **values: Any) -> Any:
        for port in self.unit.inputs:
            if port.struct is not None and port.name not in values:
                layout = port.struct.layout
                values[port.name] = layout.vector(
                    {p.name: values.pop(p.name) for p in layout.ports if p.name in values}
                )
        return self.run(**values)
