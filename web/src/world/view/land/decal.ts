/** What is painted on the ground: blended like glass, yet drawn in its turn between the ground and what stands on it. */

import { AddEquation, CustomBlending, Mesh, OneMinusSrcAlphaFactor, PlaneGeometry, ShaderMaterial, SrcAlphaFactor, Vector3, type BufferGeometry } from "three";
import { headingOf, type Vec3 } from "../../maths";
import type { State } from "../../playback";
import { AIR, type Air } from "../daylight";

export const DECAL = { blending: CustomBlending, blendEquation: AddEquation, blendSrc: SrcAlphaFactor, blendDst: OneMinusSrcAlphaFactor, depthWrite: false };

const VERTEX = /* glsl */ `
  varying vec2 on;
  varying vec3 place;
  void main() {
    on = 2.0 * uv - 1.0;
    place = (modelMatrix * vec4(position, 1.0)).xyz;
    gl_Position = projectionMatrix * viewMatrix * vec4(place, 1.0);
    gl_Position.z -= 0.002 * gl_Position.w; // over the ground
  }
`;
const FRAGMENT = /* glsl */ `
  ${AIR}
  uniform float dark;
  varying vec2 on;
  varying vec3 place;
  void main() {
    float r = length(on);
    gl_FragColor = vec4(0.02, 0.03, 0.02, dark * (1.0 - smoothstep(0.35, 1.0, r)));
  }
`;
const FADES_M = 150; // height above which no shadow is seen

/** The soft shadow of a vehicle on land: it shows how high the vehicle is. */
export class Shadow {
  readonly mesh: Mesh<BufferGeometry, ShaderMaterial>;
  readonly #sun: Vector3;

  constructor(
    air: Air,
    readonly length: number,
    readonly width: number,
  ) {
    this.#sun = (air.uniforms["sun"] as { value: Vector3 }).value;
    const uniforms = { ...air.uniforms, dark: { value: 0.5 } };
    this.mesh = new Mesh(new PlaneGeometry(1, 1), new ShaderMaterial({ vertexShader: VERTEX, fragmentShader: FRAGMENT, uniforms, ...DECAL }));
    this.mesh.renderOrder = 6;
  }

  /** @param low height of its wheels above its own point [m] */
  place({ p, q }: State, low: number, x: number, y: number, heightAt: (x: number, y: number) => number): void {
    const above = Math.max(0, p[2] + low - heightAt(p[0], p[1]));
    const [sx, sy]: [number, number] = [-above * (this.#sun.x / this.#sun.z), -above * (this.#sun.y / this.#sun.z)];
    const at: Vec3 = [p[0] + sx, p[1] + sy, heightAt(p[0] + sx, p[1] + sy)];
    this.mesh.position.set(at[0] - x, at[1] - y, at[2] + 0.05);
    this.mesh.rotation.z = headingOf(q);
    const soft = 1 + above / 60;
    this.mesh.scale.set(1.25 * soft * this.length, 1.35 * soft * this.width, 1);
    (this.mesh.material.uniforms["dark"] as { value: number }).value = 0.6 * Math.max(0, 1 - above / FADES_M);
    this.mesh.visible = above < FADES_M;
  }
}
