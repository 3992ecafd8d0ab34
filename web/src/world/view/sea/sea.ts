/** The water: a fan of triangles around the camera that the waves lift, and a surface that mirrors the sky. */

import { BufferAttribute, BufferGeometry, Mesh, ShaderMaterial, Vector2, Vector4, type IUniform, type PerspectiveCamera, type Texture } from "three";
import { AIR, type Air } from "../daylight";
import { clamp, headingOf, rotated } from "../../maths";
import type { State } from "../../playback";
import { fan, halfWidth, type Fan } from "./grid";
import type { Waves } from "./waves";

export const MOST_WAVES = 64;

const LAG = 0.8; // [rad] of a wave behind its crest, where its foam still lies
const VERTEX = /* glsl */ `
  const float LAG_COS = ${Math.cos(LAG).toFixed(6)};
  const float LAG_SIN = ${Math.sin(LAG).toFixed(6)};
  uniform vec4 waves[${MOST_WAVES}];
  uniform int waveCount;
  uniform vec4 reach; // nearest ring [m], growth, heading, half of the width [rad]
  uniform float rings;
  varying vec3 place;
  varying vec4 slope; // with how near to breaking the water is, and was a moment ago, in deviations of what is drawn here
  void main() {
    float far = exp(position.x * reach.y);
    float r = reach.x * (far - 1.0);
    float turn = reach.z + position.y * reach.w;
    vec2 at = r * vec2(cos(turn), sin(turn));
    float spacing = reach.x * far * reach.y / rings;
    float z = 0.0;
    vec4 s = vec4(0.0);
    float square = 1e-8;
    for (int n = 0; n < ${MOST_WAVES}; n++) {
      if (n >= waveCount) break;
      vec4 w = waves[n];
      float k = length(w.yz);
      float fine = k * spacing;
      if (fine > 2.8) break; // the others are shorter still
      float a = w.x * (1.0 - smoothstep(1.5, 2.8, fine));
      float angle = dot(w.yz, at) + w.w;
      float c = a * cos(angle);
      float d = a * sin(angle);
      z += c;
      s += vec4(-d * w.yz, k * c, k * (LAG_COS * c - LAG_SIN * d)); // the crest was here: its phase is behind by LAG
      square += 0.5 * k * a * k * a;
    }
    s.zw *= inversesqrt(square);
    place = vec3(at, z);
    slope = s;
    gl_Position = projectionMatrix * viewMatrix * vec4(place, 1.0);
  }
`;

const FRAGMENT = /* glsl */ `
  ${AIR}
  uniform sampler2D wake;
  uniform vec3 wakeAt; // middle of its square, one over its edge
  uniform vec4 look; // strength of ripples, one over the height of waves, from where on crests break
  uniform vec4 hull, hullSize; // place and direction; half of length and beam, how far ahead its middle is, inside of its bottom
  uniform vec4 hullUp; // its axis upwards, and its height
  varying vec3 place;
  varying vec4 slope;
  void main() {
    vec2 off = place.xy - hull.xy;
    vec2 on = vec2(dot(off, hull.zw) - hullSize.z, hull.z * off.y - hull.w * off.x) / hullSize.xy;
    float bow = max(0.0, on.x - 0.2) / 0.8;
    bool isWithin = abs(on.x) < 1.0 && abs(on.y) < 1.0 - bow * bow;
    if (isWithin && dot(vec3(off, place.z - hullUp.w), hullUp.xyz) > hullSize.w) discard; // no water in an open boat
    vec2 at = place.xy + shift;
    vec4 near = texture2D(noise, at / 6.4 + vec2(0.021, 0.013) * seconds);
    vec4 wide = texture2D(noise, at / 25.6 - vec2(0.006, 0.011) * seconds);
    vec3 toEye = eyeAt - place;
    float distance = length(toEye);
    vec3 v = toEye / distance;
    vec2 ripple = (near.xy + wide.xy - 1.0) * (look.x * (0.55 + 0.9 * wide.a));
    vec3 n = normalize(vec3(-slope.xy - ripple, 1.0));
    float facing = max(dot(n, v), 0.0);
    float away = 1.0 - facing;
    float away2 = away * away;
    float mirror = 0.02 + 0.78 * away2 * away2 * away;
    vec3 r = reflect(-v, n);
    float s = max(dot(r, sun), 0.0);
    float s4 = s * s * s * s;
    float s16 = s4 * s4 * s4 * s4;
    float s128 = s16 * s16 * s16 * s16; s128 *= s128;
    float lift = clamp(0.5 + place.z * look.y, 0.0, 1.0);
    vec3 body = mix(vec3(0.016, 0.105, 0.165), vec3(0.06, 0.32, 0.36), lift * lift * (0.35 + 0.65 * facing));
    vec3 colour = mix(body, skyColour(abs(r.z)), mirror) + sunlight * (0.05 * s16 + 0.75 * s128);
    float churn = near.b + 0.3 * wide.b - 0.06;
    // short waves, which are not drawn, break on the crests of the others
    vec2 breaking = 0.8 * slope.zw + 7.0 * (wide.a - 0.49) + 5.0 * (churn - 0.6) - look.z;
    vec2 foam = smoothstep(vec2(0.0), vec2(0.7, 1.4), breaking);
    float white = max(foam.x, 0.55 * foam.y); // what breaks, and what it left behind
    vec2 inWake = (place.xy - wakeAt.xy) * wakeAt.z;
    if (max(abs(inWake.x), abs(inWake.y)) < 0.5) {
      float trail = texture2D(wake, inWake + 0.5).r;
      float churned = 0.28 + 0.8 * near.b + 0.35 * (wide.b - 0.47);
      white = max(white, smoothstep(1.0 - 0.72 * trail, 1.34 - 0.72 * trail, churned) * min(0.94, 1.5 * trail));
      colour = mix(colour, vec3(0.17, 0.45, 0.48), 0.42 * trail);
    }
    colour = mix(colour, vec3(0.93, 0.96, 0.97) * (0.78 + 0.22 * n.z), white);
    gl_FragColor = vec4(hazed(colour, distance), 1.0);
  }
`;

const NEAREST_M = 1.2; // of the rings, at the least height of the eye
const BY_HEIGHT = 0.35;
const FLOOR = 0.06; // of a boat's length: inside of its bottom above the lowest point
const LEAST_STEEP = 0.08; // of a crest that breaks: a long swell has no white horses

/**
 * From how many standard deviations of the steepness on crests break: hardly any in waves of half a metre, 3 % of the
 * water in sea state 4, 6 % in a gale.
 * @param height of the waves, significant [m]
 */
export function breaksAt(height: number): number {
  return 1.35 + 1.1 / Math.max(0.05, height);
}

export class Sea {
  readonly mesh: Mesh<BufferGeometry, ShaderMaterial>;
  readonly #phases = new Float32Array(MOST_WAVES);
  readonly #waves = Array.from({ length: MOST_WAVES }, () => new Vector4());
  readonly #hull = new Vector4();
  readonly #hullSize = new Vector4();
  readonly #hullUp = new Vector4();
  readonly #reach = new Vector4(1, 9, 0, 1);
  readonly #uniforms: Record<string, IUniform>;
  #fan: Fan = { rings: 0, columns: 0 };

  constructor(
    air: Air,
    readonly waves: Waves,
    wake: { texture: Texture; at: IUniform },
    size: { x: number; y: number },
    middle: { x: number; low: number },
  ) {
    const deviation = Math.max(0.02, waves.deviation);
    const breaks = Math.max(breaksAt(4 * deviation), LEAST_STEEP / Math.max(1e-6, waves.steepness));
    const look = { value: new Vector4(clamp(0.45 + 0.3 * deviation, 0.45, 0.9), 0.22 / deviation, breaks, 0) };
    this.#hullSize.set(0.42 * size.x, 0.36 * size.y, middle.x, middle.low + FLOOR * size.x);
    this.#uniforms = {
      hull: { value: this.#hull }, hullSize: { value: this.#hullSize }, hullUp: { value: this.#hullUp }, ...air.uniforms, waves: { value: this.#waves }, waveCount: { value: 0 }, reach: { value: this.#reach }, rings: { value: 1 },
      wake: { value: wake.texture }, wakeAt: wake.at, look,
    }; // prettier-ignore
    const material = new ShaderMaterial({ vertexShader: VERTEX, fragmentShader: FRAGMENT, uniforms: this.#uniforms });
    this.mesh = new Mesh(new BufferGeometry(), material);
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = 4;
  }

  /** How finely it is drawn. @param share of all waves, 0 to 1 */
  set(count: Fan, share: number): void {
    const shown = Math.max(1, Math.round(share * this.waves.shown.length));
    (this.#uniforms["waveCount"] as IUniform).value = Math.min(this.waves.shown.length, shown);
    if (count.rings === this.#fan.rings && count.columns === this.#fan.columns) return;
    this.#fan = count;
    const { corners, triangles } = fan(count);
    this.mesh.geometry.dispose();
    this.mesh.geometry = new BufferGeometry();
    const position = new Float32Array((corners.length / 2) * 3);
    for (let k = 0; k < corners.length / 2; k += 1) position.set([corners[2 * k] ?? 0, corners[2 * k + 1] ?? 0, 0], 3 * k);
    this.mesh.geometry.setAttribute("position", new BufferAttribute(position, 3)).setIndex(new BufferAttribute(triangles, 1));
    (this.#uniforms["rings"] as IUniform).value = count.rings;
  }

  /** Where our vehicle is. @param x @param y origin of what is drawn, in the world */
  leaveOut({ p, q }: State, x: number, y: number): void {
    const heading = headingOf(q);
    this.#hull.set(p[0] - x, p[1] - y, Math.cos(heading), Math.sin(heading));
    this.#hullUp.set(...rotated(q, [0, 0, 1]), p[2]);
  }

  /** Around the camera, which is above the origin. @param origin of what is drawn, in the world */
  look(camera: PerspectiveCamera, origin: Vector2, roll: number, pitch: number, heading: number, sight: number): void {
    const count = (this.#uniforms["waveCount"] as IUniform<number>).value;
    this.waves.phasesAt(origin.x, origin.y, this.#phases);
    for (let k = 0; k < count; k += 1) {
      const wave = this.waves.shown[k];
      if (wave) this.#waves[k]?.set(wave.a, wave.kx, wave.ky, this.#phases[k] ?? 0);
    }
    const nearest = Math.max(NEAREST_M, BY_HEIGHT * Math.abs(camera.position.z));
    const half = halfWidth(pitch, roll, (camera.fov * Math.PI) / 360, camera.aspect);
    const column = (2 * half) / Math.max(1, this.#fan.columns);
    this.#reach.set(nearest, Math.log(1 + (2.2 * sight) / nearest), column * Math.round(heading / column), half); // columns stay where they are in the world
  }
}
