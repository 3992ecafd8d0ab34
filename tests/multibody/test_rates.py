"""Multi-rate schedules against the ordinary step, against the kernels run one by one, and in other processes."""

import multiprocessing
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any

import numpy as np
import pytest

from motionbase.compile import compile, scan
from motionbase.compile.routine import Call, Copy, Switch
from motionbase.errors import ModelError, SimulationError
from motionbase.multibody import GROUND, Body, Joint, Model
from motionbase.multibody.elements import JointDamper, PointForce
from motionbase.multibody.flexible import beam
from motionbase.multibody.joints import Free, prismatic, revolute
from motionbase.multibody.models import MODELS
from motionbase.multibody.names import q_of, v_of
from motionbase.multibody.rates import Multirate, Partition, Rates
from motionbase.multibody.simulate import simulate
from motionbase.multibody.tree.dynamics import Tree
from motionbase.multibody.tree.loops import Loops
from motionbase.multibody.tree.outputs import Outputs

Array = np.ndarray
Parts = Callable[..., Any]
H = 1e-3


def bar(name: str, length: float = 1.0) -> Body:
    return Body(name, 2.0, (length / 2, 0, 0), (0.001, 0.17, 0.17), points={"tip": (length, 0, 0)})


def two_bars() -> Model:
    """Swinging under gravity: every part of the equations changes all the time."""
    joints = (
        Joint("shoulder", GROUND, "upper", revolute((0, 1, 0))),
        Joint("elbow", "upper", "lower", revolute((0, 1, 0)), "tip"),
    )
    return Model("two_bars", (bar("upper"), bar("lower")), joints, (0.0, 0.0, -9.81))


def pushed() -> Model:
    """The same with a force at its tip and a damper."""
    plain = two_bars()
    elements = PointForce("push", "lower", "tip"), JointDamper("loss", "elbow", 0.3)
    return Model("pushed", plain.bodies, plain.joints, plain.gravity, elements)


def tumbling() -> Model:
    """A bar on a base that flies freely."""
    joints = Joint("flight", GROUND, "base", Free()), Joint("pin", "base", "bar", revolute((0, 1, 0)), (0.5, 0.2, 0.0))
    return Model("tumbling", (Body("base", 10.0, (0.1, 0, 0), (1, 2, 2.5)), bar("bar")), joints, (0.0, 0.0, 0.0))


def flexible() -> Model:
    boom = beam(length=3.0, mass_per_length=4.0, EI_y=2e4, EI_z=2e4, bending=(1, 1), damping=0.01)
    joints = Joint("root", GROUND, "boom", revolute((0, 0, 1))), Joint("elbow", "boom", "arm", revolute(), "tip")
    return Model("flexible", (Body("boom", modes=boom), bar("arm")), joints, (0.0, -9.81, 0.0))


def equations(model: Model) -> Tree | Loops:
    return Loops(model, step=H) if model.closures else Tree(model)


def case(name: str) -> tuple[Tree | Loops, Array, Array]:
    """Equations and a start; that of a loop meets its closures."""
    if name in MODELS:
        example = MODELS[name]
        model = example.build()
        held = equations(model)
        if isinstance(held, Loops):
            start = simulate(held, H, H, q0=example.q0, v0=example.v0)
            return held, start.q[0], start.v[0]
        return held, q_of(model, example.q0), v_of(model, example.v0)
    model = {f.__name__: f for f in (two_bars, pushed, tumbling, flexible)}[name]()
    q, v = model.neutral.copy(), np.zeros(model.nv)
    q[0], v[0], v[-1] = 0.3, 0.5, 0.2
    return Tree(model), q, v


ALL = ("pushed", "flexible", "four_bar", "tumbling")


@pytest.mark.parametrize("name", ALL)
def test_every_part_at_every_step_is_the_ordinary_method(name: str) -> None:
    """The same arithmetic but for the order of sums: some eps of the size of q a step, 200 steps."""
    held, q, v = case(name)
    tau = 0.1 * np.sin(np.arange(200 * held.model.nv)).reshape(200, -1)
    wanted = simulate(held, 200 * H, H, method="euler", q0=q, v0=v, inputs={"tau": tau})
    found = Multirate(held, Rates(1, 1, 1)).run(200, H, q, v, {"tau": tau})
    np.testing.assert_allclose(found.q, wanted.q, rtol=0, atol=1e-12)
    np.testing.assert_allclose(found.v, wanted.v, rtol=0, atol=1e-11)


def test_adams_bashforth_against_a_loop_in_numpy() -> None:
    tree, q, v = case("two_bars")
    forward, zero = compile(tree.forward_dynamics), np.zeros(2)
    wanted, before = q.copy(), forward(q=q, v=v, tau=zero)
    speeds = v.copy()
    for _ in range(100):
        now = forward(q=wanted, v=speeds, tau=zero)
        after = speeds + H * (1.5 * now - 0.5 * before)
        wanted, speeds, before = wanted + 0.5 * H * (speeds + after), after, now
    found = Multirate(tree, Rates(), "ab2").run(100, H, q, v)
    np.testing.assert_allclose(found.q[-1], wanted, rtol=0, atol=1e-13)  # roundings of 100 steps of numbers near 1


def test_start_row_and_rows_between() -> None:
    tree, q, v = case("two_bars")
    stepper = Multirate(tree, Rates(4, 2))
    every, thinned = stepper.run(40, H, q, v), stepper.run(40, H, q, v, every=8)
    assert np.array_equal(every.q[0], q) and len(every.q) == 41
    assert np.array_equal(every.q[::8], thinned.q) and np.array_equal(every.v[::8], thinned.v)


def by_hand(stepper: Multirate, steps: int, q: Array, v: Array, inputs: dict[str, Array], part: Parts) -> Array:
    """The schedule as a plain Python loop; `part(name, arrays)` renews a part, here or elsewhere."""
    partition, rates = stepper.partition, stepper.rates.by_name
    solve, advance = compile(partition.solve), compile(stepper.advance)
    ahead = {name: compile(stepper.prediction(name)) for name in partition.parts if stepper.steps_ahead(name)}
    first = {name: a[0] if len(a) == steps else a for name, a in inputs.items()}
    held = stepper.start(q, v, first)
    rows = [q]
    for k in range(steps):
        known = {"q": q, "v": v, **{n: a[k] if len(a) == steps else a for n, a in inputs.items()}}
        for name, kernel in partition.parts.items():
            every = rates.get(name, 1)
            if every is not None and k % every == 0:
                at = (
                    dict(zip(("q", "v"), ahead[name](h=H, q=q, v=v, v_dot=held["v_dot"]), strict=True))
                    if name in ahead
                    else {}
                )
                held[kernel.outputs[0].name] = part(name, {p.name: {**known, **at}[p.name] for p in kernel.inputs})
        v_dot = solve(q=q, v=v, **{p.name: held[p.name] for p in partition.solve.inputs[2:]})
        q, v = advance(h=H, q=q, v=v, v_dot=v_dot, v_dot_prev=held["v_dot"])
        held["v_dot"] = v_dot
        rows.append(q)
    return np.array(rows)


@pytest.mark.parametrize(
    ("name", "rates", "method"),
    [*((name, Rates(6, 2, 3, 2), "ab2") for name in ALL), ("pushed", Rates(None, 4), "euler")],
)
def test_one_program_gives_the_bits_of_the_kernels_one_by_one(name: str, rates: Rates, method: Any) -> None:
    held, q, v = case(name)
    stepper = Multirate(held, rates, method)
    rng = np.random.default_rng(0)
    inputs = {p.name: 0.1 * rng.standard_normal((30, *p.dims)) for p in stepper.partition.inputs}
    kernels = {n: compile(k) for n, k in stepper.partition.parts.items()}
    wanted = by_hand(stepper, 30, q, v, inputs, lambda n, arrays: kernels[n](**arrays))
    assert np.array_equal(stepper.run(30, H, q, v, inputs).q, wanted)


def serve(part: str, pipe: Connection) -> None:
    """Another process: arrays of the inputs come, those of the part go, until None comes."""
    kernel = compile(Partition(Tree(pushed())).parts[part])
    while (arrays := pipe.recv()) is not None:
        pipe.send(kernel(**arrays))


def test_parts_in_other_processes_give_the_same_bits() -> None:
    tree, q, v = case("pushed")
    stepper = Multirate(tree, Rates(4, 2))
    inputs = {"tau": np.array([0.2, -0.1]), "push_force": np.array([1.0, 0.0, 2.0])}
    context = multiprocessing.get_context("spawn")
    pipes, workers = {}, []
    for name in ("mass", "nonlinear"):
        pipes[name], other = context.Pipe()
        workers.append(context.Process(target=serve, args=(name, other)))
        workers[-1].start()
    own = {n: compile(stepper.partition.parts[n]) for n in ("external", "joint")}

    def part(name: str, arrays: dict[str, Array]) -> Any:
        if name in own:
            return own[name](**arrays)
        pipes[name].send(arrays)
        return pipes[name].recv()

    wanted = by_hand(stepper, 50, q, v, inputs, part)
    for pipe, worker in zip(pipes.values(), workers, strict=True):
        pipe.send(None)
        worker.join(30)
        assert worker.exitcode == 0
    assert np.array_equal(stepper.run(50, H, q, v, inputs).q, wanted)


def test_lanes_and_the_interpreter_give_the_same_bits() -> None:
    tree, q, v = case("pushed")
    stepper = Multirate(tree, Rates(3, 2), "ab2")
    inputs = {"tau": np.zeros(2), "push_force": np.zeros(3)}
    given: dict[str, Any] = {"h": np.array(H), "q": q, "v": v, **inputs, **stepper.start(q, v, inputs)}
    feedback = {"q": "q_next", "v": "v_next"}
    wanted = scan(stepper.step, feedback)(12, **given)["q"]
    assert np.array_equal(scan(stepper.step, feedback, target="python")(12, **given)["q"], wanted)
    lanes: dict[str, Any] = {name: np.repeat(np.asarray(a)[..., None], 2, axis=-1) for name, a in given.items()}
    both = scan(stepper.step, feedback, lanes=2)(12, **lanes)["q"]
    assert np.array_equal(both, np.stack([wanted, wanted], axis=-1))


@pytest.mark.parametrize("name", ALL)
def test_parts_are_renewed_in_the_memory_that_keeps_them(name: str) -> None:
    """A case of the schedule is calls alone: a part that it leaves alone is not copied, nor one that it renews."""
    stepper = Multirate(case(name)[0], Rates(6, 2, 3, 2), "ab2")
    body = stepper.step.routine.body
    (schedule,) = (s for s in body if isinstance(s, Switch))
    assert schedule.default == () and not any(isinstance(s, Copy) for s in body)
    assert all(isinstance(s, Call) for _, statements in schedule.cases for s in statements)
    kept = {k for k, a in enumerate(stepper.step.ports) if a in stepper.memory[1:-1]}
    written = {a.buffer for _, statements in schedule.cases for s in statements for a in s.addresses}  # type: ignore[union-attr]
    assert kept <= written


def slopes(name: str, rates: Rates, method: Any, centred: bool = True) -> Array:
    """Orders seen from one step to the next, over 4, 2, 1 ms in 0.4 s; RK4 at 0.2 ms is far below their errors."""
    held, q, v = case(name)
    exact = simulate(held, 0.4, 2e-4, q0=q, v0=v).q[-1]
    stepper = Multirate(held, rates, method, centred)
    errors = [np.abs(stepper.run(round(0.4 / h), h, q, v).q[-1] - exact).max() for h in (4e-3, 2e-3, 1e-3)]
    return np.array(np.log2(np.array(errors[:-1]) / np.array(errors[1:])))


@pytest.mark.parametrize(("rates", "method"), [(Rates(4, 2), "ab2"), (Rates(1, 5), "ab2"), (Rates(4, 2), "euler")])
def test_parts_held_from_the_start_are_of_first_order(rates: Rates, method: Any) -> None:
    """In the base step; the next term is seen as a deviation, largest at 4 ms."""
    np.testing.assert_allclose(slopes("two_bars", rates, method, centred=False), 1.0, atol=0.25)


@pytest.mark.parametrize("rates", [Rates(), Rates(4, 2)])
@pytest.mark.parametrize("name", ["two_bars", "tumbling"])
def test_centred_parts_with_adams_bashforth_are_of_second_order(name: str, rates: Rates) -> None:
    """On a free base too, where positions are moved in turning axes."""
    np.testing.assert_allclose(slopes(name, rates, "ab2"), 2.0, atol=0.25)


def test_a_constant_mass_matrix_may_be_frozen() -> None:
    """Slides carried by slides: M never changes, so nothing does; under constant forces v = M^-1 G t to rounding."""
    joints = Joint("x", GROUND, "a", prismatic((1, 0, 0))), Joint("y", "a", "b", prismatic((0.6, 0.8, 0)))
    bodies = Body("a", 3.0, inertia=(1, 1, 1)), Body("b", 2.0, inertia=(1, 1, 1))
    tree = Tree(Model("slides", bodies, joints, (0.0, -9.81, 0.0)))
    q, v, tau = np.zeros(2), np.array([0.3, -0.2]), np.array([1.0, 2.0])
    frozen, renewed = (Multirate(tree, rates).run(500, H, q, v, {"tau": tau}) for rates in (Rates(None), Rates()))
    assert np.array_equal(frozen.q, renewed.q)
    M, G = np.array([[5.0, 1.2], [1.2, 2.0]]), tau + [0.0, -2.0 * 9.81 * 0.8]
    np.testing.assert_allclose(frozen.v[-1], v + 0.5 * np.linalg.solve(M, G), rtol=1e-12)


def test_energy_drift_is_of_first_order_and_small() -> None:
    """A free swing of 2 s: holding parts adds or takes energy, in proportion to the step."""
    tree, q, v = case("two_bars")
    assert isinstance(tree, Tree)
    energies = compile(Outputs(tree).energies)
    drifts = []
    for h in (1e-3, 5e-4):
        run = Multirate(tree, Rates(4, 2), "ab2", centred=False).run(round(2.0 / h), h, q, v)
        kinetic, potential, _ = energies.map(q=run.q, v=run.v).values()
        total = kinetic + potential
        drifts.append(np.abs(total - total[0]).max() / kinetic.max())
    assert drifts[0] < 0.05 and 0.35 < drifts[1] / drifts[0] < 0.65


def test_a_loop_stays_closed() -> None:
    """Corrections act at every step, so a mass matrix that is four steps old opens the pin by far less than 1 mm."""
    held, q, v = case("four_bar")
    assert isinstance(held, Loops)
    run = Multirate(held, Rates(4, 2), "ab2").run(1000, H, q, v)
    residual = compile(held.residuals).map(q=run.q, v=run.v)["loop_residual"]
    assert np.abs(residual).max() < 5e-4


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ({"mass": -2}, "mass is -2, must be 1 or more"),
        ({"nonlinear": 0}, "nonlinear is 0, must be 1 or more base steps, or None"),
        ({"mass": 2.5}, "mass is 2.5, a whole number is wanted"),
        ({"external": True}, "external is True, a whole number is wanted"),
        ({"joint": "2"}, "joint is '2', a whole number is wanted"),
        ({"gravity": 2}, "no part 'gravity'; parts: mass, nonlinear, external, joint"),
        ({"mass": 37, "nonlinear": 41}, "repeats after 1517 base steps, 1000 is the most"),
    ],
)
def test_bad_schedules(numbers: dict[str, Any], words: str) -> None:
    with pytest.raises(ModelError, match=words):
        Rates.of(numbers)


def test_schedule_tells_what_is_due() -> None:
    four: Any = np.int64(4)
    rates = Rates.of({"mass": four, "nonlinear": 2, "external": None})
    assert str(rates) == "4/2/start/1" and rates.period == 4
    assert [rates.due(k) for k in (0, 1, 2)] == [("mass", "nonlinear", "joint"), ("joint",), ("nonlinear", "joint")]
    assert Rates(None, None, None, None).period == 1 and Rates(None, None, None, None).due(0) == ()


def test_what_cannot_be_run() -> None:
    with pytest.raises(ModelError, match=r"has closures \(loop\); use Partition\(Loops"):
        Partition(Tree(MODELS["four_bar"].build()))
    tree, q, v = case("two_bars")
    with pytest.raises(ModelError, match="no method 'rk4'; methods: euler, ab2"):
        Multirate(tree, Rates(), "rk4")  # type: ignore[arg-type]
    stepper = Multirate(tree)
    with pytest.raises(SimulationError, match="no input 'torque'; inputs: tau"):
        stepper.run(10, H, q, v, {"torque": np.zeros(2)})
    with pytest.raises(SimulationError, match=r"input 'tau' has shape \(3,\), \(2,\) or \(10, 2\) is wanted"):
        stepper.run(10, H, q, v, {"tau": np.zeros(3)})
    with pytest.raises(SimulationError, match="10 steps with a row every 3"):
        stepper.run(10, H, q, v, every=3)
