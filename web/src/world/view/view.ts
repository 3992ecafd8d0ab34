/** The canvas of the view outside: it is drawn as finely as the machine can without falling behind. */

import { LinearSRGBColorSpace, NoToneMapping, WebGLRenderer } from "three";
import type { WorldScene } from "../../net/types";
import { Budget, LEVELS } from "../budget";
import type { CameraName } from "../choices";
import type { State } from "../playback";
import { Cameras } from "./cameras";
import { Outside } from "./outside";

const SOFTWARE_INTERVAL_MS = 1000 / 30;
const SOFTWARE_PIXELS = 420_000;
const HARDWARE_PIXELS = 5_000_000;
const SHARPEST = 2;
const BEGIN = 2; // level of a processor that draws
const STILL_S = 2.5; // after which a picture in which nothing moves is not drawn again
const LONGEST_S = 0.2; // of a picture's time, for cameras

export class View {
  readonly canvas: HTMLCanvasElement;
  readonly #renderer: WebGLRenderer;
  readonly #budget: Budget;
  #outside: Outside | null = null;
  #cameras: Cameras | null = null;
  #camera: CameraName = "chase";
  #width = 0;
  #height = 0;
  #scale = 0;
  #at = NaN;
  #seconds = 0;
  #isLost = false;
  #isDirty = true;
  #stoodFor = 0;
  #covered = 0; // at the lower edge [css px]
  #shown: State | null = null;

  /** @param software a processor draws */
  constructor(
    readonly software: boolean,
    told: { lost(): void; restored(): void },
  ) {
    this.#renderer = new WebGLRenderer({ antialias: !software, alpha: false, stencil: false, powerPreference: "high-performance" });
    this.#renderer.toneMapping = NoToneMapping;
    this.#renderer.outputColorSpace = LinearSRGBColorSpace; // shaders write colours as the screen shows them
    this.#renderer.autoClearColor = false; // the sky covers what nothing else does
    this.#renderer.setClearColor(0, 0);
    this.#budget = new Budget(software ? SOFTWARE_INTERVAL_MS : 0, software ? BEGIN : 0);
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
  }

  /** Whether a processor draws less than it would with more time. */
  get isPressed(): boolean {
    return this.software && this.#budget.level > 0 && this.#stoodFor <= STILL_S;
  }

  /** @param names of the values that come with a state */
  show(world: WorldScene | null, names: readonly string[]): void {
    this.#outside?.dispose();
    this.#outside = world && new Outside(world, names, !this.software);
    this.#cameras = world && new Cameras(world);
    this.#cameras?.choose(this.#camera);
    this.#shown = null;
  }

  choose(camera: CameraName): void {
    this.#camera = camera;
    this.#cameras?.choose(camera);
    this.#isDirty = true;
  }

  /** By a hand [rad]. */
  turn(azimuth: number, elevation: number): void {
    this.#cameras?.turn(azimuth, elevation);
    this.#isDirty = true;
  }

  zoom(factor: number): void {
    this.#cameras?.zoom(factor);
    this.#isDirty = true;
  }

  reset(): void {
    this.#cameras?.reset();
    this.#isDirty = true;
  }

  /** @param height at the lower edge behind which nothing is seen [css px] */
  cover(height: number): void {
    this.#covered = height;
    this.#isDirty = true;
  }

  /** @param width @param height of the place it has [CSS pixels] */
  resize(width: number, height: number): void {
    if (width === this.#width && height === this.#height) return;
    [this.#width, this.#height] = [width, height];
    this.#scale = 0;
    if (this.#shown && width >= 1 && height >= 1) this.draw(this.#shown); // its new size has emptied the canvas
  }

  /** Once for every animation frame. @param at the vehicle at a time of the page [ms]; null where there is none */
  frame(now: number, at: (now: number) => State | null): boolean {
    const mayDraw = this.#budget.mayDraw(now);
    if (!mayDraw || this.#isLost || !this.#outside || this.#width < 1 || this.#height < 1) return false;
    const state = at(now);
    if (!state) return false;
    const passed = Math.min(LONGEST_S, Math.max(0, (now - this.#at) / 1000)) || 0;
    const isStill = !this.#isDirty && this.#shown !== null && isSame(state, this.#shown);
    if (isStill && this.#stoodFor > STILL_S) return false; // nothing moves any more, cameras and water included
    this.#stoodFor = isStill ? this.#stoodFor + passed : 0;
    this.#at = now;
    if (state.t !== this.#shown?.t) this.#seconds += passed; // ripples and clouds stand still with the world
    this.#isDirty = false;
    this.draw(state, passed);
    this.#budget.drew(now);
    return true;
  }

  draw(state: State | null = this.#shown, passed = 0): void {
    const [outside, cameras] = [this.#outside, this.#cameras];
    if (!outside || !cameras || !state || this.#isLost) return;
    this.#sharpen();
    this.#shown = state;
    outside.camera.aspect = this.#width / this.#height;
    outside.move(state);
    const looking = cameras.look(state, passed, outside.heightAt, this.#covered / this.#height);
    outside.draw(this.#renderer, state, looking, this.#budget.now, this.#seconds);
  }

  dispose(): void {
    this.#outside?.dispose();
    this.#renderer.dispose();
    this.#renderer.forceContextLoss();
    this.canvas.remove();
  }

  /** As many pixels as the budget allows now. */
  #sharpen(): void {
    const most = this.software ? SOFTWARE_PIXELS : HARDWARE_PIXELS;
    const wanted = this.software ? 1 : Math.min(SHARPEST, devicePixelRatio);
    const { scale } = LEVELS[this.#budget.level] ?? { scale: 1 };
    const ratio = Math.min(wanted, Math.sqrt(most / (this.#width * this.#height))) * scale;
    if (ratio === this.#scale) return;
    this.#scale = ratio;
    this.#renderer.setPixelRatio(ratio);
    this.#renderer.setSize(this.#width, this.#height, false);
  }
}

function isSame(one: State, other: State): boolean {
  const equal = (a: readonly number[], b: readonly number[]): boolean => a.every((value, k) => value === b[k]);
  return one.t === other.t && equal(one.p, other.p) && equal(one.q, other.q) && equal(one.values, other.values);
}
