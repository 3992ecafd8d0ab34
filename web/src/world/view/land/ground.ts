/** Meadows and fields to the horizon. */

import { BufferAttribute, BufferGeometry, Mesh, ShaderMaterial, Vector4, type IUniform, type PerspectiveCamera } from "three";
import type { WorldRunway } from "../../../net/types";
import { fan, halfWidth, type Fan } from "../sea/grid";
import { AIR, type Air } from "../daylight";
import { MOST_HILLS, type Hills } from "./hills";

const VERTEX = /* glsl */ `
  uniform vec4 hills[${MOST_HILLS}];
  uniform int hillCount;
  uniform vec4 reach; // nearest ring [m], growth, heading, half of the width [rad]
  uniform float rings, level;
  varying vec3 place;
  varying vec2 slope;
  void main() {
    float far = exp(position.x * reach.y);
    float r = reach.x * (far - 1.0);
    float turn = reach.z + position.y * reach.w;
    vec2 at = r * vec2(cos(turn), sin(turn));
    float spacing = reach.x * far * reach.y / rings;
    float z = level;
    slope = vec2(0.0);
    for (int n = 0; n < ${MOST_HILLS}; n++) {
      if (n >= hillCount) break;
      vec4 w = hills[n];
      float angle = dot(w.yz, at) + w.w;
      float bend = w.x * dot(w.yz, w.yz);
      z += w.x * cos(angle) - min(abs(w.x), 0.125 * abs(bend) * spacing * spacing); // chords stay below the road
      slope -= w.x * sin(angle) * w.yz;
    }
    place = vec3(at, z);
    gl_Position = projectionMatrix * viewMatrix * vec4(place, 1.0);
  }
`;

const FRAGMENT = /* glsl */ `
  ${AIR}
  uniform float fields;
  uniform vec4 airfield; // its middle, and the direction of its runway
  uniform vec2 airfieldSize; // half of it [m], 0 where there is none
  varying vec3 place;
  varying vec2 slope;

  float chance(vec2 cell) {
    vec2 c = mod(cell, vec2(40.0, 80.0)); // as many as there are until patterns repeat
    return fract(sin(dot(c, vec2(12.9898, 78.233))) * 43758.5453);
  }

  float fading(float x) {
    return 1.0 / (1.0 + x + x * x);
  }

  void main() {
    vec2 at = place.xy + shift;
    vec3 toEye = eyeAt - place;
    float distance = length(toEye);
    vec4 wide = texture2D(noise, at / 640.0);
    vec4 mid = texture2D(noise, at / 64.0);
    vec4 near = texture2D(noise, at / 3.2);
    float patches = wide.a + 0.35 * (mid.b - 0.5);
    vec3 colour = mix(vec3(0.25, 0.37, 0.16), vec3(0.44, 0.50, 0.24), smoothstep(0.3, 0.75, patches));
    if (fields > 0.0) {
      vec2 bent = at + 26.0 * (wide.ba - 0.5);
      vec2 cell = floor(bent / vec2(320.0, 160.0));
      vec2 within = fract(bent / vec2(320.0, 160.0));
      float kind = chance(cell);
      vec3 crop = kind < 0.28 ? vec3(0.72, 0.66, 0.36) : kind < 0.5 ? vec3(0.36, 0.47, 0.20) : kind < 0.72 ? vec3(0.50, 0.55, 0.27) : kind < 0.86 ? vec3(0.55, 0.45, 0.31) : vec3(0.24, 0.36, 0.17);
      #ifdef FINE
      float rows = 0.5 + 0.5 * sin((kind < 0.6 ? bent.x : bent.y) * 0.49087);
      crop *= 0.95 + 0.07 * rows * fading(distance / 900.0);
      #endif
      vec2 edge = min(within, 1.0 - within) * vec2(320.0, 160.0);
      float hedge = 1.0 - smoothstep(1.5, 4.0 + 0.004 * distance, min(edge.x, edge.y));
      float isField = fields * step(0.2, fract(kind * 7.3));
      vec2 off = place.xy - airfield.xy;
      vec2 out_ = max(abs(vec2(dot(off, airfield.zw), airfield.z * off.y - airfield.w * off.x)) - airfieldSize, 0.0);
      if (airfieldSize.x > 0.0) isField *= smoothstep(60.0, 66.0, length(out_));
      colour = mix(colour, crop, isField);
      colour = mix(colour, vec3(0.17, 0.26, 0.12), 0.75 * hedge * isField * step(0.3, fract(kind * 17.7)));
    }
    float grain = (near.b - 0.47) * fading(distance / 45.0) + 0.7 * (mid.b - 0.47) * fading(distance / 900.0) + 0.35 * (wide.a - 0.5);
    colour *= 1.0 + 0.55 * grain;
    vec3 n = normalize(vec3(-slope, 1.0));
    float light = 0.72 + 0.47 * max(0.0, dot(n, sun));
    colour *= light * mix(vec3(1.0), sunlight, 0.6);
    gl_FragColor = vec4(hazed(colour, distance), 1.0);
  }
`;

const NEAREST_M = 2;
const BY_HEIGHT = 0.5;

export class Ground {
  readonly mesh: Mesh<BufferGeometry, ShaderMaterial>;
  readonly #hills = Array.from({ length: MOST_HILLS }, () => new Vector4());
  readonly #reach = new Vector4(1, 9, 0, 1);
  readonly #airfield = new Vector4();
  readonly #uniforms: Record<string, IUniform>;
  #fan: Fan = { rings: 0, columns: 0 };

  /** @param fields 0 for meadows alone, to 1 */
  constructor(
    air: Air,
    readonly hills: Hills,
    fields: number,
    readonly runway: WorldRunway | null,
  ) {
    const { length, width, heading } = runway ?? { length: 0, width: 0, heading: 0 };
    this.#airfield.set(0, 0, Math.cos(heading), Math.sin(heading));
    const size = runway ? [length / 2 + 240, width / 2 + 190] : [0, 0];
    this.#uniforms = {
      ...air.uniforms, hills: { value: this.#hills }, hillCount: { value: hills.waves.length }, reach: { value: this.#reach },
      rings: { value: 1 }, level: { value: hills.elevation }, fields: { value: fields }, airfield: { value: this.#airfield }, airfieldSize: { value: size },
    }; // prettier-ignore
    const material = new ShaderMaterial({ vertexShader: VERTEX, fragmentShader: FRAGMENT, defines: air.defines, uniforms: this.#uniforms });
    this.mesh = new Mesh(new BufferGeometry(), material);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = hills.isLevel ? 0 : 4;
  }

  set(count: Fan): void {
    if (count.rings === this.#fan.rings && count.columns === this.#fan.columns) return;
    this.#fan = count;
    const { corners, triangles } = fan(count);
    const position = new Float32Array((corners.length / 2) * 3);
    for (let k = 0; k < corners.length / 2; k += 1) position.set([corners[2 * k] ?? 0, corners[2 * k + 1] ?? 0, 0], 3 * k);
    this.mesh.geometry.dispose();
    this.mesh.geometry = new BufferGeometry().setAttribute("position", new BufferAttribute(position, 3)).setIndex(new BufferAttribute(triangles, 1));
    (this.#uniforms["rings"] as IUniform).value = count.rings;
  }

  /** @param x @param y origin of what is drawn, in the world: the camera is above it */
  look(camera: PerspectiveCamera, x: number, y: number, roll: number, pitch: number, heading: number, sight: number): void {
    if (this.runway) [this.#airfield.x, this.#airfield.y] = [this.runway.p[0] - x, this.runway.p[1] - y];
    const phases = this.hills.phasesAt(x, y);
    this.hills.waves.forEach(([a, kx, ky], k) => this.#hills[k]?.set(a, kx, ky, phases[k] ?? 0));
    const above = Math.abs(camera.position.z - this.hills.heightAt(x, y));
    const nearest = Math.max(NEAREST_M, BY_HEIGHT * above);
    const half = halfWidth(pitch, roll, (camera.fov * Math.PI) / 360, camera.aspect);
    const column = (2 * half) / Math.max(1, this.#fan.columns);
    this.#reach.set(nearest, Math.log(1 + (2.2 * sight) / nearest), column * Math.round(heading / column), half);
  }
}
