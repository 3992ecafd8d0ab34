/** The view outside: where other craft are, what is shown between records, cameras, roads, and how finely it is drawn. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { WorldCourse, WorldScene } from "../src/net/types";
import { Budget, LEVELS } from "../src/world/budget";
import { captionAt } from "../src/world/captions";
import { along, whereabouts } from "../src/world/course";
import { headingOf, rotated, type Quaternion, type Vec3 } from "../src/world/maths";
import { Reading } from "../src/world/motion";
import { Playback, type State } from "../src/world/playback";
import { anglesOf, Cameras, facing, lift, times } from "../src/world/view/cameras";
import { Hills } from "../src/world/view/land/hills";
import { sections } from "../src/world/view/land/road";
import { numberOf } from "../src/world/view/land/runway";
import { halfWidth } from "../src/world/view/sea/grid";
import { Trail } from "../src/world/view/sea/trail";
import { Waves } from "../src/world/view/sea/waves";
import { paint } from "../src/world/view/surface";
import { Vehicle } from "../src/world/view/vehicle";
import { daylight } from "../src/world/view/daylight";
import { enclosed, turnedOut } from "../src/world/winding";

const near = (a: number, b: number, by = 1e-9): void => assert.ok(Math.abs(a - b) <= by, `${a} is not ${b}`);
const UPRIGHT: Quaternion = [1, 0, 0, 0];
const still = (t: number, p: Vec3 = [0, 0, 0], v: Vec3 = [0, 0, 0], values: number[] = []): State => ({ t, p, q: UPRIGHT, v, values });

/** A course by steps of a millimetre: arcs and lines as sums of small pieces. */
function walked({ segments }: Pick<WorldCourse, "segments">, s: number): { x: number; y: number; heading: number } {
  const [first] = segments;
  let [x, y, heading] = [first?.[1] ?? 0, first?.[2] ?? 0, first?.[3] ?? 0];
  for (let at = 0; at < s - 1e-9; at += 1e-3) {
    const curvature = segments.findLast(([from]) => from <= at + 1e-9)?.[4] ?? 0;
    x += 1e-3 * Math.cos(heading + (curvature * 1e-3) / 2);
    y += 1e-3 * Math.sin(heading + (curvature * 1e-3) / 2);
    heading += curvature * 1e-3;
  }
  return { x, y, heading };
}

// 40 m straight on, a half circle of 10 m to the left, back, and round again
const OVAL = { speed: 5, start: 0, length: 80 + 20 * Math.PI, segments: [[0, 0, 0, 0, 0], [40, 40, 0, 0, 0.1], [40 + 10 * Math.PI, 40, 20, Math.PI, 0], [80 + 10 * Math.PI, 0, 20, Math.PI, 0.1]] } satisfies WorldCourse;

test("a craft on a course is where small steps along its lines and arcs lead", () => {
  for (const s of [0, 12.5, 41, 60, 80, 100, 125, 140]) {
    const [found, wanted] = [along(OVAL, s), walked(OVAL, s)];
    near(found.x, wanted.x, 1e-3); // steps of a millimetre: an arc begins so much too late at most
    near(found.y, wanted.y, 1e-3);
    near(found.heading, wanted.heading, 3e-4);
  }
  const [once, again] = [along(OVAL, 12.5), along(OVAL, 12.5 - 3 * OVAL.length)];
  near(once.x, again.x);
  near(once.y, again.y);
});

test("an open course goes straight on, and before its begin along its first segment", () => {
  const line = { speed: 2, start: 5, length: null, segments: [[0, 1, 2, Math.PI / 2, 0]] } satisfies WorldCourse;
  const found = whereabouts({ p: [1, 2, 0], heading: 0, v: [9, 9], course: line }, -5);
  near(found.x, 1);
  near(found.y, -3);
  assert.deepEqual(whereabouts({ p: [1, 2, 0], heading: 0.5, v: [2, -1], course: null }, 10), { x: 21, y: -8, heading: 0.5 });
});

test("a caption is shown from its time on, while its script steers", () => {
  const scene = { script: "trip", captions: { trip: [[1, "cast off"], [5, ""], [9, "the wake of a ferry"]] } } satisfies Pick<WorldScene, "script" | "captions">;
  const texts = [0, 1, 4.9, 5, 8, 50].map((t) => captionAt(scene, t, true));
  assert.deepEqual(texts, ["", "cast off", "cast off", "", "", "the wake of a ferry"]);
  assert.equal(captionAt(scene, 2, false), "");
  assert.equal(captionAt({ script: "other", captions: scene.captions }, 2, true), "");
  assert.equal(captionAt(scene, NaN, true), "");
});

test("between uneven records a vehicle moves evenly, whatever the pace of the replay", () => {
  for (const pace of [1, 0.25, 4]) {
    const playback = new Playback();
    const shown: number[] = [];
    let sent = 0;
    for (let now = 0; now < 4000; now += 16) {
      const jitter = 8 * Math.sin(now); // [ms] of the network
      if (now >= sent * 33 + jitter) {
        const t = 0.001 * pace * sent * 33;
        playback.push(still(t, [10 * t, 0, 0], [10, 0, 0]), now);
        sent += 1;
      }
      const state = playback.at(now);
      if (state && now > 1500) shown.push(state.p[0]);
    }
    const steps = shown.slice(1).map((x, k) => x - (shown[k] ?? 0));
    const even = 0.16 * pace;
    assert.ok(steps.every((step) => step > 0.4 * even && step < 1.6 * even), `pace ${pace}: ${Math.min(...steps)} to ${Math.max(...steps)} of ${even}`);
  }
});

test("what is shown stands still with a replay, follows a jump at once, and goes the short way round", () => {
  const playback = new Playback([2 * Math.PI, 0]);
  for (let k = 0; k < 20; k += 1) playback.push(still(0.05 * k, [k, 0, 0], [20, 0, 0], [0, 0]), 50 * k);
  for (let now = 0; now < 2000; now += 20) playback.at(now);
  assert.equal(playback.at(5000)?.p[0], 19);
  playback.push(still(100, [500, 0, 0], [0, 0, 0], [3.1, 1]), 5050);
  assert.equal(playback.at(5060)?.p[0], 500);
  playback.push(still(100.1, [500, 0, 0], [0, 0, 0], [-3.1, 2]), 5150);
  const between = playback.at(5160);
  assert.ok(between && Math.abs(between.values[0] ?? 0) > 3.09, `${between?.values[0]}`);
});

test("a record without a place is none", () => {
  const names = ["world_t", "world_x", "world_y", "world_z", "world_qw", "world_qx", "world_qy", "world_qz", "radar"];
  const byName = new Map(names.map((name, place) => [name, { place }]));
  const part = { name: "", on: null, shapes: [], p: [0, 0, 0] as Vec3, axis: [0, 0, 1] as Vec3, channel: "radar", slide: null, scale: 1 };
  const reading = new Reading({ parts: [part], objects: [], sea: null } as unknown as WorldScene, byName);
  assert.deepEqual([reading.names, reading.periods], [["radar"], [2 * Math.PI]]);
  const state = reading.read([2, 1, 2, 3, 1.01, 0, 0, 0, 0.5]);
  assert.deepEqual([state?.p, state?.q, state?.values], [[1, 2, 3], [1, 0, 0, 0], [0.5]]);
  for (const wrong of [[NaN, 1, 2, 3, 1, 0, 0, 0], [2, 1, 2, 3, 0, 0, 0, 0], [2, 1e9, 2, 3, 1, 0, 0, 0]]) assert.equal(reading.read(wrong), null);
});

test("axes that look in a direction point there, and angles are those of roll, pitch and heading", () => {
  const q = facing(0.7, 0.3);
  const [x, y, z] = rotated(q, [1, 0, 0]);
  near(Math.atan2(y, x), 0.7);
  near(Math.asin(z), -0.3);
  near(rotated(q, [0, 1, 0])[2], 0);
  const rolled = anglesOf(times(q, [Math.cos(0.1), Math.sin(0.1), 0, 0]));
  near(rolled.roll, 0.2);
  near(rolled.pitch, -0.3);
  near(rolled.heading, 0.7);
});

test("cameras: behind the vehicle, at its eye, and never below the surface", () => {
  const cameras = new Cameras({ kind: "boat", eye: [1, 0, 2], chase: [-20, 0, 6] });
  const turned: State = { t: 0, p: [100, 50, 0], q: facing(1, 0), v: [0, 0, 0], values: [] };
  const behind = cameras.look(turned, 0, () => -5);
  near(behind.p[0], 100 - 20 * Math.cos(1), 1e-6);
  near(behind.p[1], 50 - 20 * Math.sin(1), 1e-6);
  near(behind.p[2], 6, 1e-6);
  near(headingOf(behind.q), 1, 1e-6);
  assert.ok(cameras.look(turned, 0, () => 9).p[2] > 9);
  cameras.choose("eye");
  for (let k = 0; k < 60; k += 1) cameras.look(turned, 0.05, () => -5);
  const eye = cameras.look(turned, 0.05, () => -5);
  near(eye.p[0], 100 + Math.cos(1), 1e-6);
  near(eye.p[2], 2, 1e-6);
  near(headingOf(eye.q), 1, 1e-6);
});

test("where instruments cover the lower edge, the vehicle is seen above them", () => {
  const seenAt = (covered: number): number => {
    const { p, q, field } = new Cameras({ kind: "drive", eye: [0, 0, 1.2], chase: [-8, 0, 3] }).look(still(0), 0, () => -5, covered);
    const [ahead, , up] = rotated([q[0], -q[1], -q[2], -q[3]], [-p[0], -p[1], -p[2]]);
    return up / ahead / Math.tan((field * Math.PI) / 360); // -1 to 1 from the lower to the upper edge
  };
  assert.ok(seenAt(0.2) > seenAt(0) + 0.15);
  assert.equal(lift(0, 46), 0);
  near(Math.tan(lift(0.3, 46)) / Math.tan((23 * Math.PI) / 180), 0.3); // half of what is covered, of the whole height
  near(lift(5, 46), lift(0.4, 46)); // however small the view is
});

test("a camera behind follows a turn smoothly", () => {
  const cameras = new Cameras({ kind: "drive", eye: [0, 0, 1], chase: [-7, 0, 2] });
  cameras.look(still(0), 0.02, () => 0);
  const headings = Array.from({ length: 150 }, () => headingOf(cameras.look({ ...still(0), q: facing(1, 0) }, 0.02, () => 0).q));
  const steps = headings.slice(1).map((to, k) => to - (headings[k] ?? 0));
  assert.ok(steps.every((step) => step >= 0 && step < 0.05));
  near(headings.at(-1) ?? 0, 1, 0.01);
});

test("fewer pixels where frames are slow, more again where they are quick, and no going to and fro", () => {
  const run = (cost: (level: number) => number, seconds: number): number[] => {
    const budget = new Budget(33, 0);
    const levels: number[] = [];
    for (let now = 0; now < 1000 * seconds; now += cost(budget.level)) {
      if (budget.mayDraw(now)) budget.drew(now);
      levels.push(budget.level);
    }
    return levels;
  };
  assert.equal(run(() => 16, 20).at(-1), 0);
  assert.equal(run(() => 60, 60).at(-1), LEVELS.length - 1);
  const settled = run((level) => 60 - 12 * level, 600);
  const changes = settled.slice(1).filter((level, k) => level !== settled[k]).length;
  assert.ok(changes < 20, `${changes} changes in ten minutes`);
  assert.ok((settled.at(-1) ?? 0) >= 2);
});

test("the drawn sea is the sum of its cosines, as the vehicle's", () => {
  const rows: [number, number, number, number, number][] = [[1, 0.1, 0.02, 0.9, 0.3], [0.4, -0.2, 0.1, 1.4, 2], [0.01, 3, 0, 5.4, 1]];
  const waves = new Waves({ waves: rows, significant_height: 3, peak_period: 7, seed: null }, 64);
  waves.move(12.5);
  const wanted = rows.reduce((sum, [a, kx, ky, w, e]) => sum + a * Math.cos(kx * 30 + ky * -8 - w * 12.5 + e), 0);
  near(waves.heightAt(30, -8), wanted);
  near(waves.deviation, Math.sqrt((1 + 0.16 + 1e-4) / 2));
  assert.ok(waves.shown.every(({ kx, ky }, k) => k === 0 || Math.hypot(kx, ky) >= Math.hypot(waves.shown[k - 1]?.kx ?? 0, waves.shown[k - 1]?.ky ?? 0)));
  const seed = new Waves({ waves: [], significant_height: 1, peak_period: null, seed: { waves: [[0.5, 0.3, 0, 2, 0.1]], loop: 10, units: 500, handles: [] } }, 64);
  seed.move(125);
  near(seed.heightAt(4, 0), 0.5 * Math.cos(0.3 * 4 - (2 * Math.PI * 2 * 125) / 500 + 0.1));
});

test("hills have their height anywhere, with phases of any origin", () => {
  const hills = new Hills({ runway: null, elevation: 5, waves: [[2, 0.01, 0.02, 0.4], [1, -0.03, 0.01, 2]] });
  const wanted = 5 + 2 * Math.cos(0.01 * 700 + 0.02 * -90 + 0.4) + Math.cos(-0.03 * 700 + 0.01 * -90 + 2);
  near(hills.heightAt(700, -90), wanted);
  const phases = hills.phasesAt(700, -90);
  near(5 + hills.waves.reduce((z, [a], k) => z + a * Math.cos(phases[k] ?? 0), 0), wanted);
  assert.ok(phases.every((phase) => Math.abs(phase) <= Math.PI));
});

test("the water covers what a camera sees of it, in any attitude", () => {
  const [tall, aspect] = [0.4, 1.3];
  for (const pitch of [-1.2, -0.5, -0.1, 0, 0.2]) for (const roll of [0, 0.3, 1, -2]) {
    const half = halfWidth(pitch, roll, tall, aspect);
    for (const [u, v] of [[1, 1], [1, -1], [-1, 1], [-1, -1], [1, 0], [-1, 0]] as const) {
      const [right, up] = [u * aspect * Math.tan(tall), v * Math.tan(tall)];
      const q = times(facing(0, -pitch), [Math.cos(roll / 2), Math.sin(roll / 2), 0, 0]);
      const [x, y, z] = rotated(q, [1, -right, up]);
      if (z < -0.01) assert.ok(half >= Math.PI - 1e-9 || Math.abs(Math.atan2(y, x)) <= half + 1e-9, `pitch ${pitch}, roll ${roll}: ${Math.atan2(y, x)} of ${half}`);
    }
  }
});

test("a wake follows its boat, and begins anew where the boat is elsewhere", () => {
  const trail = new Trail(10);
  for (let k = 0; k <= 400; k += 1) trail.add(0.1 * k, [0.5 * k, 0, 0], [5, 0, 0]);
  const { marks } = trail;
  assert.ok(marks.length > 20 && marks.length <= 73 && marks.at(-1)?.x === 200);
  assert.ok(marks.every(({ x }, k) => k === 0 || x > (marks[k - 1]?.x ?? 0)));
  trail.add(40.2, [5000, 0, 0], [5, 0, 0]);
  assert.equal(trail.marks.length, 1);
});

test("faces of a solid are turned outwards, others stay", () => {
  const vertices: [number, number, number][] = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]];
  const out: [number, number, number][] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
  const solid = { type: "mesh" as const, vertices, faces: out };
  near(enclosed(solid), 1 / 6);
  assert.equal(turnedOut(solid), solid);
  const within = { ...solid, faces: out.map(([a, b, c]): [number, number, number] => [a, c, b]) };
  assert.deepEqual(turnedOut(within).faces.map((face) => [...face]), out);
  const sheet = { type: "mesh" as const, vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0]] as [number, number, number][], faces: [[0, 1, 2]] as [number, number, number][] };
  assert.equal(turnedOut(sheet), sheet);
});

test("a road's drawn line is smooth: through points of a circle it is the circle", () => {
  const points = Array.from({ length: 40 }, (_, k): [number, number, number] => [50 * Math.cos((k * Math.PI) / 20), 50 * Math.sin((k * Math.PI) / 20), 2]);
  const line = sections({ points, closed: true }, 1);
  assert.ok(line.length > 300);
  for (const [x, y, z] of line) {
    near(Math.hypot(x, y), 50, 0.01); // chords of 9 degrees alone would be 0.15 m off
    near(z, 2);
  }
  near(line.at(-1)?.[0] ?? 0, 50);
  near(line.at(-1)?.[1] ?? 9, 0);
  const open = sections({ points: [[0, 0, 0], [0, 0, 0], [10, 0, 1]], closed: false }, 2);
  assert.deepEqual([open.length, open[0], open.at(-1)], [6, [0, 0, 0], [10, 0, 1]]);
});

test("a runway has the tenths of its compass courses", () => {
  const found = [0, -Math.PI / 2, Math.PI / 2, Math.PI, -0.1].map(numberOf);
  assert.deepEqual(found, ["36", "09", "27", "18", "01"]);
});

test("a driver looks through what hides the way ahead, and sees the bow", () => {
  const box = (size: number[], p: [number, number, number]): WorldScene["vehicle"]["shapes"][number] =>
    ({ type: "box", size, p, q: [1, 0, 0, 0], color: null, role: "link", vertices: [], faces: [] });
  const [bow, window, cabin] = [box([3, 2, 0.4], [3, 0, 0.2]), box([0.1, 2, 1], [1, 0, 1.5]), box([2, 2, 2], [0, 0, 1])];
  const scene = { kind: "boat", eye: [0, 0, 1.5], chase: [-9, 0, 3], vehicle: { shapes: [bow, window, cabin] }, parts: [] } as unknown as WorldScene;
  const air = daylight(null as never, "sea", false);
  const vehicle = new Vehicle(scene, [], paint(air), paint(air));
  const seen = (): number[] => vehicle.group.children.filter(({ visible }) => visible).map((one) => (one as unknown as { geometry: { index: { count: number } } }).geometry.index.count / 36);
  vehicle.asDriver(false);
  assert.deepEqual(seen().sort(), [1, 2]);
  vehicle.asDriver(true);
  assert.deepEqual(seen(), [2]); // within the cabin, whose walls are seen from outside alone
});
