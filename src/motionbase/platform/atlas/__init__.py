"""A sphere turned by Mecanum or omni wheels on a translation stage: data, Jacobians, static analysis, decoupling."""
