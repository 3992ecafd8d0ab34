/** The foam that other craft leave behind: where they were is known exactly, so nothing has to be remembered. */

import { BufferAttribute, BufferGeometry, DynamicDrawUsage, Group, Mesh, ShaderMaterial } from "three";
import type { WorldObject } from "../../../net/types";
import { speedOf, whereabouts } from "../../course";
import { AIR, type Air } from "../daylight";
import { DECAL } from "../land/decal";
import type { HeightAt } from "../vehicle";

const MARKS = 22;
const LASTS_S = 38;
const LENGTHS = 9; // of the craft, that it is long at most
const SLOWEST = 1.2; // [m/s] of a craft that leaves foam
const MOST_CRAFT = 12;
const SPREADS = 0.075; // widening over the way gone

const VERTEX = /* glsl */ `
  attribute vec3 about; // across -1 to 1, age over the longest, strength
  varying vec3 mark;
  varying vec3 place;
  void main() {
    mark = about;
    place = (modelMatrix * vec4(position, 1.0)).xyz;
    gl_Position = projectionMatrix * viewMatrix * vec4(place, 1.0);
    gl_Position.z -= 0.012 * gl_Position.w; // over the water's own triangles
  }
`;
const FRAGMENT = /* glsl */ `
  ${AIR}
  varying vec3 mark;
  varying vec3 place;
  void main() {
    float churned = texture2D(noise, (place.xy + shift) / 12.8).b;
    float side = abs(mark.x);
    float edge = 1.0 - smoothstep(0.55, 1.0, side);
    float old = 1.0 - mark.y;
    float foam = mark.z * edge * old * (0.45 + 0.55 * old + 0.3 * smoothstep(0.4, 0.8, side));
    float white = smoothstep(0.78 - 0.7 * foam, 1.12 - 0.7 * foam, churned + 0.22) * min(1.0, 1.6 * foam);
    vec3 colour = mix(vec3(0.2, 0.46, 0.49), vec3(0.9, 0.94, 0.95), white);
    gl_FragColor = vec4(hazed(colour, length(eyeAt - place)), max(0.9 * white, 0.3 * foam));
  }
`;

export class Foam {
  readonly group = new Group();
  readonly #tracks: { readonly object: WorldObject; readonly mesh: Mesh<BufferGeometry, ShaderMaterial> }[];

  constructor(air: Air, objects: readonly WorldObject[]) {
    const surface = new ShaderMaterial({ vertexShader: VERTEX, fragmentShader: FRAGMENT, uniforms: air.uniforms, ...DECAL });
    const craft = objects.filter((object) => object.wake && speedOf(object) > SLOWEST).slice(0, MOST_CRAFT);
    this.#tracks = craft.map((object) => {
      const attribute = (): BufferAttribute => new BufferAttribute(new Float32Array(3 * 2 * MARKS), 3).setUsage(DynamicDrawUsage);
      const geometry = new BufferGeometry().setAttribute("position", attribute()).setAttribute("about", attribute());
      geometry.setIndex(Array.from({ length: MARKS - 1 }, (_, k) => [2 * k, 2 * k + 2, 2 * k + 1, 2 * k + 1, 2 * k + 2, 2 * k + 3]).flat());
      const mesh = new Mesh(geometry, surface);
      mesh.frustumCulled = false;
      mesh.renderOrder = 5;
      this.group.add(mesh);
      return { object, mesh };
    });
  }

  /** @param t of the world [s] @param x @param y origin of what is drawn @param reach of sight [m] */
  place(t: number, x: number, y: number, heightAt: HeightAt, reach: number): void {
    for (const { object, mesh } of this.#tracks) {
      const now = whereabouts(object, t);
      mesh.visible = Math.hypot(now.x - x, now.y - y) < reach;
      if (mesh.visible && object.wake) this.#lay(object, object.wake, mesh.geometry, t, x, y, heightAt);
    }
  }

  #lay(object: WorldObject, { length, beam }: NonNullable<WorldObject["wake"]>, geometry: BufferGeometry, t: number, x: number, y: number, heightAt: HeightAt): void {
    const [position, about] = [geometry.getAttribute("position"), geometry.getAttribute("about")] as [BufferAttribute, BufferAttribute];
    const speed = speedOf(object);
    const lasts = Math.min(LASTS_S, (LENGTHS * length) / speed);
    const strength = Math.min(1, speed / 5);
    for (let k = 0; k < MARKS; k += 1) {
      const share = (k / (MARKS - 1)) ** 1.6; // marks are dense near the craft
      const age = share * lasts - (0.4 * length) / speed; // from the bow on
      const was = whereabouts(object, t - age);
      const half = 0.5 * beam + SPREADS * speed * Math.max(0, age);
      for (const side of [0, 1]) {
        const across = (2 * side - 1) * half;
        const [px, py] = [was.x - across * Math.sin(was.heading), was.y + across * Math.cos(was.heading)];
        position.setXYZ(2 * k + side, px - x, py - y, heightAt(px, py) + 0.03);
        about.setXYZ(2 * k + side, 2 * side - 1, share, strength);
      }
    }
    position.needsUpdate = about.needsUpdate = true;
  }
}
