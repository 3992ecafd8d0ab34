/** The canvas: it is drawn only where something changed, and says when it cannot be. */

import { NeutralToneMapping, PCFShadowMap, Raycaster, Vector2, Vector3, WebGLRenderer, type Intersection, type Object3D } from "three";
import type { Choices, Preset, Seen } from "../choices";
import { Governor } from "../governor";
import type { Pose } from "../kinematics";
import { OrbitCamera } from "./camera";
import type { Drawn, Maker } from "./drawn";
import { dragged } from "./grab";
import { listen } from "./input";
import { studio } from "./materials";
import { setColourSpace, theme } from "./theme";

const SOFTWARE_INTERVAL_MS = 1000 / 30;
const SOFTWARE_PIXELS = 480_000;
const HARDWARE_PIXELS = 4_000_000;
const SHARPEST = 2;

export interface Told {
  lost(): void;
  restored(): void;
  /** The camera came to rest. */
  rested(seen: Seen): void;
  /** The pose that a hand may take hold of; null where it is the platform's own. */
  held(): Pose | null;
  /** A hand moved it. */
  dragged(pose: Pose): void;
}

export class View {
  readonly canvas: HTMLCanvasElement;
  readonly #camera = new OrbitCamera();
  readonly #governor: Governor;
  readonly #renderer: WebGLRenderer;
  #world: Drawn | null = null;
  #make: Maker | null = null;
  #choices: Choices;
  #isDirty = true;
  #isLost = false;
  #grasp = 1; // how far from the camera the hand is [m]
  #width = 0;
  #height = 0;

  /** @param fine physically based surfaces, shadows and smooth edges; @param software a processor draws */
  constructor(
    readonly fine: boolean,
    readonly software: boolean,
    choices: Choices,
    private readonly told: Told,
  ) {
    this.#choices = choices;
    this.#renderer = new WebGLRenderer({ antialias: fine, alpha: false, stencil: false, powerPreference: "high-performance" });
    this.#renderer.shadowMap.enabled = fine;
    this.#renderer.shadowMap.type = PCFShadowMap;
    if (fine) this.#renderer.toneMapping = NeutralToneMapping;
    this.#governor = new Governor(software ? SOFTWARE_INTERVAL_MS : 0);
    this.canvas = this.#renderer.domElement;
    this.canvas.addEventListener("webglcontextlost", (event) => {
      event.preventDefault(); // or the browser never gives it back
      this.#isLost = true;
      told.lost();
    });
    this.canvas.addEventListener("webglcontextrestored", () => {
      this.#isLost = false;
      this.#isDirty = true;
      told.restored();
    });
    listen(this.canvas, this.#camera, {
      moved: () => (this.#isDirty = true),
      rested: () => told.rested(this.seen()),
      picked: (x, y) => this.#pick(x, y),
      grasps: (x, y) => this.#grasps(x, y),
      dragged: (dx, dy, isTurn) => {
        const [pose, camera] = [told.held(), this.#camera];
        const size = camera.metresPerPixel(this.#height) * this.#height * (camera.isParallel ? 1 : this.#grasp);
        if (pose) told.dragged(dragged(pose, camera.camera, size, dx, dy, isTurn));
      },
    });
  }

  show(make: Maker, seen: Seen | null): void {
    const before = this.#world?.name;
    this.#make = make;
    this.#build();
    this.#comeHome();
    const name = this.#world?.name;
    if (seen && seen.platform === name) this.look(seen);
    else if (before !== name) this.#camera.preset("isometric", -Infinity);
  }

  /** Colours anew, after dark became light. */
  recolour(): void {
    this.#build();
  }

  choose(choices: Choices): void {
    if (choices.source !== this.#choices.source || choices.trailOf !== this.#choices.trailOf) this.#world?.trail.clear();
    this.#choices = choices;
    this.#camera.orthographic = choices.orthographic;
    this.#world?.choose(choices, this.#camera.isPilot);
    this.#isDirty = true;
  }

  /** What is drawn was moved. @param t of the record [s], NaN where its trail does not go on */
  moved(t: number): void {
    const { trail, trailOf, trailSeconds } = this.#choices;
    const point = trail ? this.#world?.point(trailOf) : null;
    if (point && Number.isFinite(t)) this.#world?.trail.add(t, point, trailSeconds);
    this.#isDirty = true;
  }

  forgetTrail(): void {
    this.#world?.trail.clear();
    this.#isDirty = true;
  }

  preset(name: Preset): void {
    this.#comeHome();
    this.#camera.preset(name, performance.now());
    this.#world?.choose(this.#choices, this.#camera.isPilot);
    this.#isDirty = true;
  }

  fit(): void {
    this.#comeHome();
    this.#camera.fit(performance.now());
    this.#world?.choose(this.#choices, this.#camera.isPilot);
    this.#isDirty = true;
  }

  look(seen: Seen): void {
    this.#camera.isPilot = seen.pilot;
    this.#camera.stand = { ...seen, target: new Vector3(...seen.target) };
    this.#world?.choose(this.#choices, this.#camera.isPilot);
    this.#isDirty = true;
  }

  seen(): Seen {
    const { azimuth, elevation, distance, target } = this.#camera.stand;
    const platform = this.#world?.name ?? "";
    return { platform, pilot: this.#camera.isPilot, azimuth, elevation, distance, target: target.toArray() };
  }

  /** @param width @param height of the place it has [CSS pixels] */
  resize(width: number, height: number): void {
    if (width === this.#width && height === this.#height) return;
    [this.#width, this.#height] = [width, height];
    if (width < 1 || height < 1) return;
    const most = this.software ? SOFTWARE_PIXELS : HARDWARE_PIXELS;
    const wanted = this.software ? 1 : Math.min(SHARPEST, devicePixelRatio);
    this.#renderer.setPixelRatio(Math.min(wanted, Math.sqrt(most / (width * height))));
    this.#renderer.setSize(width, height);
    this.#camera.resize(width / height);
    this.#isDirty = true;
    if (!this.#isLost) this.draw(); // its new size has emptied the canvas, and the governor may wait for long
  }

  /** Once for every animation frame; true where it was drawn. */
  frame(now: number): boolean {
    const mayDraw = this.#governor.mayDraw(now);
    if (this.#isLost || this.#width < 1 || this.#height < 1 || !mayDraw) return false;
    const isMoving = this.#camera.step(now);
    if (!isMoving && !this.#isDirty) return false;
    this.draw();
    if (isMoving && !this.#camera.isMoving) this.told.rested(this.seen());
    this.#governor.drew(now);
    return true;
  }

  draw(): void {
    const world = this.#world;
    if (!world) return;
    this.#camera.update(world.eyeInWorld(), world.Q_eye);
    const perPixel = this.#camera.metresPerPixel(this.#height);
    world.scaleLabels(perPixel);
    const pixel = (distance: number): number => perPixel * (this.#camera.isParallel ? 1 : distance);
    if (this.#choices.trail) world.trail.draw(this.#camera.camera.position, pixel);
    this.#renderer.render(world.scene, this.#camera.camera);
    this.#isDirty = false;
  }

  dispose(): void {
    this.#world?.dispose();
    this.#renderer.dispose();
    this.#renderer.forceContextLoss();
    this.canvas.remove();
  }

  /** What the camera fits into view, where it is now. */
  #comeHome(): void {
    const home = this.#world?.home;
    if (home) this.#camera.setHome(new Vector3(...home.centre), home.radius);
  }

  #build(): void {
    if (!this.#make) return;
    setColourSpace(this.#renderer, this.fine);
    const colours = theme();
    this.#world?.dispose();
    const world = this.#make(colours, this.fine);
    if (this.fine) {
      world.scene.environment = studio(this.#renderer, colours);
      world.scene.environmentIntensity = colours.isDark ? 0.55 : 0.8;
    }
    this.#world = world;
    this.choose(this.#choices);
  }

  #grasps(x: number, y: number): boolean {
    const world = this.#world;
    if (!world || this.#camera.isPilot || !this.told.held()) return false;
    const hit = this.#hit(x, y, world.graspable);
    this.#grasp = hit?.distance ?? 1;
    return hit !== undefined;
  }

  #hit(x: number, y: number, among: Object3D[]): Intersection | undefined {
    const ray = new Raycaster();
    ray.setFromCamera(new Vector2(x, y), this.#camera.camera);
    return ray.intersectObjects(among, true).find((one) => isSolid(one.object));
  }

  #pick(x: number, y: number): void {
    const world = this.#world;
    if (!world || this.#camera.isPilot) return;
    const hit = this.#hit(x, y, world.scene.children);
    if (hit) this.#camera.centreOn(hit.point, performance.now());
    this.#isDirty = true;
  }
}

/** Whether it is a surface that is seen: labels, ghosts that are off and the like are not to be clicked on. */
function isSolid(object: Object3D): boolean {
  for (let at: Object3D | null = object; at; at = at.parent) if (!at.visible) return false;
  return "isMesh" in object && object.renderOrder <= 0;
}
