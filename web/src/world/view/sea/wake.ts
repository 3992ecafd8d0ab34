/** The wake of our vehicle, drawn from above into a small picture that the water takes its foam from. */

import { BufferAttribute, BufferGeometry, Camera, DynamicDrawUsage, Mesh, Scene, ShaderMaterial, Vector3, WebGLRenderTarget, type IUniform, type WebGLRenderer } from "three";
import { headingOf } from "../../maths";
import type { State } from "../../playback";
import { Trail } from "./trail";

const PIXELS = 256;
const ACROSS = 2; // corners of a mark: one at each side
const MOST = 80;
const KELVIN = 0.35; // tangent of the angle at which bow waves leave
const QUICK = 2.5; // [m/s] of the vehicle, from which on it leaves foam

const VERTEX = /* glsl */ `
  attribute vec3 about; // across -1 to 1, age [s], half of the width [m]
  attribute float strength;
  varying vec3 mark;
  varying float power;
  uniform vec3 square;
  void main() {
    mark = about;
    power = strength;
    gl_Position = vec4(2.0 * (position.xy - square.xy) * square.z, 0.0, 1.0);
  }
`;
const FRAGMENT = /* glsl */ `
  varying vec3 mark;
  varying float power;
  uniform float beam;
  void main() {
    float x = abs(mark.x) * mark.z; // [m] from the middle
    float middle = (1.0 - smoothstep(0.35 * beam, 0.75 * beam + 0.12 * mark.y, x)) * exp(-mark.y / 9.0);
    float arm = (1.0 - smoothstep(0.0, 0.12 * mark.z + 0.25, abs(x - 0.86 * mark.z))) * exp(-mark.y / 3.5);
    gl_FragColor = vec4(power * max(middle, 0.8 * arm), 0.0, 0.0, 1.0);
  }
`;

export class Wake {
  readonly #target = new WebGLRenderTarget(PIXELS, PIXELS, { depthBuffer: false });
  readonly #scene = new Scene();
  readonly #camera = new Camera();
  readonly #trail: Trail;
  readonly #geometry = new BufferGeometry();
  readonly #square: IUniform<Vector3> = { value: new Vector3() };
  /** Middle of its square from the origin of what is drawn, one over its edge. */
  readonly at: IUniform<Vector3> = { value: new Vector3(1e9, 0, 0.01) };
  readonly #edge: number;

  constructor(
    readonly length: number,
    readonly beam: number,
  ) {
    this.#trail = new Trail(length);
    this.#edge = Math.max(50, 14 * length);
    const attribute = (size: number): BufferAttribute => new BufferAttribute(new Float32Array(MOST * ACROSS * size), size).setUsage(DynamicDrawUsage);
    this.#geometry.setAttribute("position", attribute(3)).setAttribute("about", attribute(3)).setAttribute("strength", attribute(1));
    const index = Array.from({ length: MOST - 1 }, (_, k) => [2 * k, 2 * k + 1, 2 * k + 2, 2 * k + 1, 2 * k + 3, 2 * k + 2]).flat();
    this.#geometry.setIndex(index);
    const uniforms = { square: this.#square, beam: { value: beam } };
    const mesh = new Mesh(this.#geometry, new ShaderMaterial({ vertexShader: VERTEX, fragmentShader: FRAGMENT, uniforms, depthTest: false, side: 2 }));
    mesh.frustumCulled = false;
    this.#scene.add(mesh);
  }

  get texture(): WebGLRenderTarget["texture"] {
    return this.#target.texture;
  }

  /** The vehicle has moved. */
  move(state: State): void {
    this.#trail.add(state.t, state.p, state.v);
  }

  /** @param x @param y origin of what is drawn, in the world */
  draw(renderer: WebGLRenderer, state: State, x: number, y: number): void {
    const turn = headingOf(state.q);
    const speed = Math.hypot(state.v[0], state.v[1]);
    // the square lies where the wake is: behind the vehicle
    const back = Math.min(0.36 * this.#edge, speed * 12);
    const middle = [state.p[0] - back * Math.cos(turn), state.p[1] - back * Math.sin(turn)] as const;
    this.#square.value.set(0, 0, 1 / this.#edge);
    this.at.value.set(middle[0] - x, middle[1] - y, 1 / this.#edge);
    this.#fill(state, middle);
    const before = renderer.getRenderTarget();
    renderer.setRenderTarget(this.#target);
    renderer.clear(true, false, false);
    renderer.render(this.#scene, this.#camera);
    renderer.setRenderTarget(before);
  }

  #fill(state: State, middle: readonly [number, number]): void {
    const [position, about, strength] = ["position", "about", "strength"].map((name) => this.#geometry.getAttribute(name) as BufferAttribute);
    const { marks } = this.#trail;
    const shown = Math.min(MOST, marks.length);
    for (let k = 0; k < shown; k += 1) {
      const mark = marks[marks.length - shown + k];
      if (!mark || !position || !about || !strength) continue;
      const age = state.t - mark.t;
      const half = 0.55 * this.beam + KELVIN * mark.speed * age * 0.8;
      const ahead = k === shown - 1 ? 0.45 * this.length : 0; // the bow
      const power = Math.min(1, mark.speed / QUICK) ** 2;
      for (const side of [0, 1]) {
        const across = 2 * side - 1;
        const x = mark.x - middle[0] + ahead * Math.cos(mark.heading) - across * half * Math.sin(mark.heading);
        const y = mark.y - middle[1] + ahead * Math.sin(mark.heading) + across * half * Math.cos(mark.heading);
        position.setXYZ(2 * k + side, x, y, 0);
        about.setXYZ(2 * k + side, across, age, half);
        strength.setX(2 * k + side, power);
      }
    }
    for (const one of [position, about, strength]) if (one) one.needsUpdate = true;
    this.#geometry.setDrawRange(0, 6 * Math.max(0, shown - 1));
  }

  dispose(): void {
    this.#target.dispose();
    this.#geometry.dispose();
  }
}
