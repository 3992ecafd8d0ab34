/** A road with its lines, and what lies on it: it follows the hills, whatever the ground's own triangles do. */

import { BufferAttribute, BufferGeometry, Mesh, ShaderMaterial } from "three";
import type { WorldBump, WorldRoad } from "../../../net/types";
import { clamp } from "../../maths";
import { AIR, type Air } from "../daylight";
import { DECAL } from "./decal";
import type { Hills } from "./hills";

const SHOULDER_M = 1.4;
const FINEST_M = 2; // between cross-sections
const MOST_SECTIONS = 12_000;

const VERTEX = /* glsl */ `
  attribute vec3 about; // along and across the road, half of its width [m]
  varying vec3 on;
  varying vec3 place;
  void main() {
    on = about;
    place = (modelMatrix * vec4(position, 1.0)).xyz;
    gl_Position = projectionMatrix * viewMatrix * vec4(place, 1.0);
    gl_Position.z -= 0.0015 * gl_Position.w; // over the ground
  }
`;
const ROAD = /* glsl */ `
  ${AIR}
  varying vec3 on;
  varying vec3 place;
  float within(float x, float from, float to, float soft) {
    return smoothstep(from - soft, from + soft, x) * (1.0 - smoothstep(to - soft, to + soft, x));
  }
  void main() {
    vec2 soft = max(fwidth(on.xy) * 0.7, vec2(0.012));
    float side = abs(on.y);
    float distance = length(eyeAt - place);
    vec2 at = place.xy + shift;
    vec4 fine = texture2D(noise, at / 1.6);
    vec4 mid = texture2D(noise, at / 25.6);
    float tracks = exp(-pow((side - 0.5 * on.z - 0.78) / 0.28, 2.0)) + exp(-pow((side - 0.5 * on.z + 0.78) / 0.28, 2.0));
    vec3 asphalt = vec3(0.285, 0.29, 0.30) * (0.88 + 0.22 * (fine.b - 0.47) * exp(-distance / 25.0) + 0.24 * mid.b - 0.05 * tracks);
    float paint = within(side, on.z - 0.42, on.z - 0.27, soft.y); // edges
    paint = max(paint, within(mod(on.x, 9.0), 0.0, 3.0, soft.x) * within(on.y, -0.07, 0.07, soft.y)); // centre
    paint *= min(1.0, 0.22 / soft.y); // thinner than a pixel
    vec3 colour = mix(asphalt, vec3(0.90, 0.90, 0.88), paint * (0.82 + 0.2 * (fine.b - 0.5)));
    float gravel = smoothstep(on.z - soft.y, on.z + soft.y, side);
    colour = mix(colour, vec3(0.46, 0.43, 0.36) * (0.8 + 0.4 * fine.b), gravel);
    float cover = 1.0 - gravel * smoothstep(on.z + 0.1, on.z + 1.3, side + 0.9 * (mid.b + fine.b - 0.95));
    colour *= mix(vec3(1.04), sunlight * 1.04, 0.5);
    gl_FragColor = vec4(hazed(colour, distance), cover);
  }
`;
const BUMP = /* glsl */ `
  ${AIR}
  uniform float sunk;
  varying vec3 on; // along and across -1 to 1, height over the largest
  varying vec3 place;
  void main() {
    float stripe = step(0.5, fract(on.y * 3.0 + 0.25));
    vec3 colour = mix(mix(vec3(0.24), vec3(0.88, 0.74, 0.22), stripe), vec3(0.15, 0.15, 0.155), sunk);
    colour *= 0.86 + 0.2 * on.z - 0.16 * on.x * (1.0 - abs(on.x));
    float r = mix(max(abs(on.x), abs(on.y)), length(on.xy), sunk);
    gl_FragColor = vec4(hazed(colour, length(eyeAt - place)), mix(1.0 - smoothstep(0.93, 1.0, r), 0.8 * (1.0 - smoothstep(0.55, 1.0, r)), sunk));
  }
`;

export type Place = readonly [number, number, number];

/** Points along a smooth line through those of the road; a closed one ends where it begins. */
export function sections({ points, closed }: Pick<WorldRoad, "points" | "closed">, finest = FINEST_M): Place[] {
  const all: Place[] = points.filter((p, k) => k === 0 || apart(points[k - 1] as Place, p) > 1e-3);
  if (closed && all[0] && apart(all[0], all.at(-1) as Place) > 1e-3) all.push(all[0]);
  const total = all.reduce((sum, p, k) => sum + (k ? apart(all[k - 1] as Place, p) : 0), 0);
  const step = Math.max(finest, total / MOST_SECTIONS);
  return all.flatMap((p, k): Place[] => {
    const before = all[k - 1];
    if (!before) return [p];
    const parts = Math.max(1, Math.ceil(apart(before, p) / step));
    const [first, last] = [all[k - 2] ?? (closed ? all.at(-2) : undefined) ?? before, all[k + 1] ?? (closed ? all[1] : undefined) ?? p];
    return Array.from({ length: parts }, (_, n) => between(first, before, p, last, (n + 1) / parts));
  });
}

/** From b to c on the cubic of Catmull and Rom: a road's points are about evenly spaced. */
function between(a: Place, b: Place, c: Place, d: Place, s: number): Place {
  const at = (k: 0 | 1 | 2): number =>
    b[k] + 0.5 * s * (c[k] - a[k] + s * (2 * a[k] - 5 * b[k] + 4 * c[k] - d[k] + s * (3 * (b[k] - c[k]) + d[k] - a[k])));
  return [at(0), at(1), at(2)];
}

function apart(a: Place, b: Place): number {
  return Math.hypot(b[0] - a[0], b[1] - a[1]);
}

export class Road {
  readonly meshes: readonly Mesh<BufferGeometry, ShaderMaterial>[];
  /** Its middle. */
  readonly line: readonly Place[];
  readonly #anchor: Place;

  constructor(
    air: Air,
    readonly road: WorldRoad,
    hills: Hills,
  ) {
    this.line = sections(road);
    this.#anchor = this.line[0] ?? [0, 0, 0];
    const surface = (fragmentShader: string, own: Record<string, { value: number }> = {}): ShaderMaterial =>
      new ShaderMaterial({ vertexShader: VERTEX, fragmentShader, uniforms: { ...air.uniforms, ...own }, ...DECAL });
    const [raised, sunk] = [surface(BUMP, { sunk: { value: 0 } }), surface(BUMP, { sunk: { value: 1 } })];
    const shown = road.bumps.filter(({ length, width }) => length > 0 && width > 0);
    this.meshes = [
      new Mesh(this.#ribbon(hills), surface(ROAD)),
      ...shown.map((bump) => new Mesh(this.#bump(bump, hills), bump.height < 0 ? sunk : raised)),
    ];
    this.meshes.forEach((mesh, k) => (mesh.renderOrder = k ? 6 : 5));
  }

  place(x: number, y: number): void {
    for (const mesh of this.meshes) mesh.position.set(this.#anchor[0] - x, this.#anchor[1] - y, 0);
  }

  #ribbon(hills: Hills): BufferGeometry {
    const { line } = this;
    const half = this.road.width / 2;
    const across = [half + SHOULDER_M, half, 0, -half, -half - SHOULDER_M];
    const [position, about, index]: [number[], number[], number[]] = [[], [], []];
    let along = 0;
    line.forEach((p, k) => {
      const before = line[k - 1] ?? (this.road.closed ? line.at(-2) : undefined) ?? p;
      const after = line[k + 1] ?? (this.road.closed ? line[1] : undefined) ?? p;
      const way = Math.hypot(after[0] - before[0], after[1] - before[1]) || 1;
      const [nx, ny] = [-(after[1] - before[1]) / way, (after[0] - before[0]) / way]; // to the left
      if (k) along += apart(line[k - 1] as Place, p);
      for (const side of across) {
        const [x, y] = [p[0] + side * nx, p[1] + side * ny];
        const z = p[2] + hills.heightAt(x, y) - hills.heightAt(p[0], p[1]);
        position.push(x - this.#anchor[0], y - this.#anchor[1], z + 0.02);
        about.push(along, side, half);
      }
      if (k) for (let n = 0; n + 1 < across.length; n += 1) quad(index, (k - 1) * across.length + n, across.length);
    });
    return geometry(position, about, index);
  }

  #bump({ p, heading, length, width, height }: WorldBump, hills: Hills): BufferGeometry {
    const [position, about, index]: [number[], number[], number[]] = [[], [], []];
    const [c, s] = [Math.cos(heading), Math.sin(heading)];
    const rows = clamp(Math.round(length / 0.25), 8, 24);
    const columns = 4;
    const nearest = this.line.reduce<{ d: number; z: number }>(
      (best, q) => (Math.hypot(q[0] - p[0], q[1] - p[1]) < best.d ? { d: Math.hypot(q[0] - p[0], q[1] - p[1]), z: q[2] - hills.heightAt(q[0], q[1]) } : best),
      { d: this.road.width + 5, z: 0 },
    );
    for (let row = 0; row <= rows; row += 1)
      for (let column = 0; column <= columns; column += 1) {
        const [u, v] = [(2 * row) / rows - 1, 1 - (2 * column) / columns];
        const [x, y] = [p[0] + 0.5 * (u * length * c - v * width * s), p[1] + 0.5 * (u * length * s + v * width * c)];
        const share = 0.5 + 0.5 * Math.cos(Math.PI * u);
        position.push(x - this.#anchor[0], y - this.#anchor[1], nearest.z + hills.heightAt(x, y) + Math.max(0, height) * share + 0.035);
        about.push(u, v, share);
        if (row && column) quad(index, (row - 1) * (columns + 1) + column - 1, columns + 1);
      }
    return geometry(position, about, index);
  }
}

/** Two triangles that are seen from above: rows go on ahead, columns to the right. */
function quad(index: number[], at: number, width: number): void {
  index.push(at, at + 1, at + width, at + 1, at + width + 1, at + width);
}

function geometry(position: number[], about: number[], index: number[]): BufferGeometry {
  const made = new BufferGeometry();
  made.setAttribute("position", new BufferAttribute(new Float32Array(position), 3)).setAttribute("about", new BufferAttribute(new Float32Array(about), 3));
  return made.setIndex(index);
}
