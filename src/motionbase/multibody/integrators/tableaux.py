"""The coefficients themselves."""

from motionbase.multibody.integrators.tableau import ButcherTableau, RosenbrockTableau

RK4 = ButcherTableau(
    name="rk4",
    a=((1 / 2,), (0.0, 1 / 2), (0.0, 0.0, 1.0)),
    b=(1 / 6, 1 / 3, 1 / 3, 1 / 6),
    c=(0.0, 1 / 2, 1 / 2, 1.0),
    order=4,
    source="Kutta 1901",
)

DOPRI5 = ButcherTableau(
    name="dopri5",
    a=(
        (1 / 5,),
        (3 / 40, 9 / 40),
        (44 / 45, -56 / 15, 32 / 9),
        (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
        (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
        (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
    ),
    b=(35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84, 0.0),
    c=(0.0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0),
    order=5,
    source="Dormand & Prince 1980",
    b_hat=(5179 / 57600, 0.0, 7571 / 16695, 393 / 640, -92097 / 339200, 187 / 2100, 1 / 40),
    order_hat=4,
)

RODAS3 = RosenbrockTableau(
    name="rodas3",
    gamma=1 / 2,
    a=((0.0,), (2.0, 0.0), (2.0, 0.0, 1.0)),
    c=((4.0,), (1.0, -1.0), (1.0, -1.0, -8 / 3)),
    m=(2.0, 0.0, 1.0, 1.0),
    m_hat=(2.0, 0.0, 1.0, 0.0),
    nodes=(0.0, 0.0, 1.0, 1.0),
    order=3,
    order_hat=2,
    source="Sandu, Verwer, Blom, Spee, Carmichael & Potra 1997",
)
