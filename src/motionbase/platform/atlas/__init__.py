"""A sphere turned by Mecanum or omni wheels over a translation stage: data, Jacobians, static analysis, decoupling."""
