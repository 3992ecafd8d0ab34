/** A camera on a sphere about what it looks at, z up; or at the pilot's eye, moving with the platform. */

import { Matrix4, OrthographicCamera, PerspectiveCamera, Quaternion, Vector3 } from "three";
import type { Preset } from "../choices";

const FIELD_DEG = 30;
const PILOT_FIELD_DEG = 68;
const LOWEST = -0.35;
const HIGHEST = Math.PI / 2 - 1e-3;
const TURN_MS = 320;
// x forward is -z of a camera, z up is its y
const FORWARD = new Quaternion().setFromRotationMatrix(
  new Matrix4().makeBasis(new Vector3(0, -1, 0), new Vector3(0, 0, 1), new Vector3(-1, 0, 0)),
);

/** Azimuth: where the camera stands, counter-clockwise from the front [rad]; elevation above the target [rad]. */
export interface Stand {
  azimuth: number;
  elevation: number;
  distance: number;
  target: Vector3;
}

const PRESET: Record<Exclude<Preset, "pilot">, { azimuth: number; elevation: number }> = {
  isometric: { azimuth: (-38 * Math.PI) / 180, elevation: (21 * Math.PI) / 180 },
  front: { azimuth: 0, elevation: 0.04 },
  side: { azimuth: -Math.PI / 2, elevation: 0.04 },
  top: { azimuth: Math.PI, elevation: HIGHEST },
};

export class OrbitCamera {
  stand: Stand = { ...PRESET.isometric, distance: 10, target: new Vector3() };
  isPilot = false;
  orthographic = false;
  readonly #perspective = new PerspectiveCamera(FIELD_DEG, 1, 0.05, 200);
  readonly #parallel = new OrthographicCamera(-1, 1, 1, -1, -100, 200);
  #head = { yaw: 0, pitch: 0 };
  #move: { from: Stand; to: Stand; begin: number } | null = null;
  #aspect = 1;
  #home = { target: new Vector3(), radius: 1 };

  get camera(): PerspectiveCamera | OrthographicCamera {
    return this.isParallel ? this.#parallel : this.#perspective;
  }

  /** Metres of a pixel: at a distance of one metre where it is a perspective, anywhere where it is not. */
  metresPerPixel(height: number): number {
    const tall = this.isPilot ? PILOT_FIELD_DEG : FIELD_DEG;
    const view = 2 * Math.tan((tall * Math.PI) / 360);
    return ((this.isParallel ? this.stand.distance : 1) * view) / Math.max(1, height);
  }

  get isParallel(): boolean {
    return this.orthographic && !this.isPilot;
  }

  get isMoving(): boolean {
    return this.#move !== null;
  }

  /** What `fit` and the presets look at: a ball [m]. */
  setHome(target: Vector3, radius: number): void {
    this.#home = { target, radius };
  }

  resize(aspect: number): void {
    this.#aspect = aspect;
  }

  preset(name: Preset, now: number): void {
    this.isPilot = name === "pilot";
    this.#head = { yaw: 0, pitch: 0 };
    if (name !== "pilot") this.#go({ ...PRESET[name], ...this.#fitted() }, now);
  }

  fit(now: number): void {
    this.isPilot = false;
    this.#go({ ...this.stand, ...this.#fitted() }, now);
  }

  centreOn(target: Vector3, now: number): void {
    this.#go({ ...this.stand, target }, now);
  }

  orbit(dx: number, dy: number): void {
    if (this.isPilot) {
      this.#head.yaw = clamp(this.#head.yaw + 0.5 * dx, -2.5, 2.5);
      this.#head.pitch = clamp(this.#head.pitch - 0.5 * dy, -1.2, 1.2);
      return;
    }
    this.#move = null;
    this.stand.azimuth -= dx;
    this.stand.elevation = clamp(this.stand.elevation + dy, LOWEST, HIGHEST);
  }

  /** By shares of the view's height. */
  pan(dx: number, dy: number): void {
    if (this.isPilot) return;
    this.#move = null;
    const size = 2 * this.stand.distance * Math.tan((FIELD_DEG * Math.PI) / 360);
    const { azimuth: a, elevation: e } = this.stand;
    this.stand.target.x += size * (dx * Math.sin(a) - dy * Math.cos(a) * Math.sin(e));
    this.stand.target.y += size * (-dx * Math.cos(a) - dy * Math.sin(a) * Math.sin(e));
    this.stand.target.z += size * dy * Math.cos(e);
  }

  zoom(factor: number): void {
    if (this.isPilot) return;
    this.#move = null;
    this.stand.distance = clamp(this.stand.distance * factor, 0.3 * this.#home.radius, 20 * this.#home.radius);
  }

  /** Goes on with a move; true while there is one. */
  step(now: number): boolean {
    if (!this.#move) return false;
    const { from, to, begin } = this.#move;
    const passed = Math.min(1, Math.max(0, (now - begin) / TURN_MS));
    const share = passed * passed * (3 - 2 * passed);
    const mix = (a: number, b: number): number => a + share * (b - a);
    this.stand = {
      azimuth: mix(from.azimuth, to.azimuth),
      elevation: mix(from.elevation, to.elevation),
      distance: mix(from.distance, to.distance),
      target: from.target.clone().lerp(to.target, share),
    };
    if (passed >= 1) this.#move = null;
    return true;
  }

  /** @param eye of the pilot in W, and how the platform is turned */
  update(eye: Vector3, Q_WP: Quaternion): void {
    const { azimuth, elevation, distance, target } = this.stand;
    const camera = this.camera;
    if (this.isPilot) {
      const head = new Quaternion().setFromAxisAngle(new Vector3(0, 0, 1), this.#head.yaw);
      head.multiply(new Quaternion().setFromAxisAngle(new Vector3(0, 1, 0), this.#head.pitch));
      camera.position.copy(eye);
      camera.quaternion.copy(Q_WP).multiply(head).multiply(FORWARD);
    } else {
      const level = distance * Math.cos(elevation);
      camera.position.set(level * Math.cos(azimuth), level * Math.sin(azimuth), distance * Math.sin(elevation)).add(target);
      camera.up.set(0, 0, 1);
      camera.lookAt(target);
    }
    if (camera === this.#perspective) {
      this.#perspective.fov = this.isPilot ? PILOT_FIELD_DEG : FIELD_DEG;
      this.#perspective.aspect = this.#aspect;
      this.#perspective.near = this.isPilot ? 0.02 * this.#home.radius : 0.02 * distance;
      this.#perspective.far = this.isPilot ? 60 * this.#home.radius : distance + 20 * this.#home.radius;
    } else {
      const half = distance * Math.tan((FIELD_DEG * Math.PI) / 360);
      [this.#parallel.left, this.#parallel.right] = [-half * this.#aspect, half * this.#aspect];
      [this.#parallel.bottom, this.#parallel.top] = [-half, half];
      [this.#parallel.near, this.#parallel.far] = [-20 * this.#home.radius, distance + 20 * this.#home.radius];
    }
    camera.updateProjectionMatrix();
    camera.updateMatrixWorld();
  }

  #fitted(): { target: Vector3; distance: number } {
    const half = (FIELD_DEG * Math.PI) / 360;
    const narrow = Math.atan(Math.tan(half) * Math.min(1, this.#aspect));
    return { target: this.#home.target.clone(), distance: this.#home.radius / Math.sin(narrow) };
  }

  #go(to: Stand, now: number): void {
    const turn = to.azimuth - this.stand.azimuth;
    const nearest = to.azimuth - 2 * Math.PI * Math.round(turn / (2 * Math.PI)); // the short way round
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) this.stand = to;
    else this.#move = { from: { ...this.stand, target: this.stand.target.clone() }, to: { ...to, azimuth: nearest }, begin: now };
  }
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}
