/** The floor: a disc that fades into the background, a grid to scale, and a soft shadow. */

import {
  BufferGeometry,
  CanvasTexture,
  CircleGeometry,
  Float32BufferAttribute,
  LineBasicMaterial,
  LineSegments,
  Mesh,
  MeshBasicMaterial,
  PlaneGeometry,
  RingGeometry,
  ShadowMaterial,
  type Color,
  type Object3D,
} from "three";
import type { Placement } from "../kinematics";
import { textureSpace, type Theme } from "./theme";

export class Ground {
  readonly objects: Object3D[];
  readonly #blob: Mesh<PlaneGeometry, MeshBasicMaterial> | null;
  readonly #floor: number;
  readonly #neutral: number;

  /**
   * @param floor height in W [m]; @param reach radius of the base [m]; @param neutral height of the platform [m]
   * @param fine real shadows fall on it; else a blob follows the platform; @param hasFront whether it says where that is
   */
  constructor(floor: number, reach: number, neutral: number, colours: Theme, fine: boolean, hasFront = true) {
    this.#floor = floor;
    this.#neutral = neutral;
    const step = gridStep(reach);
    const radius = step * Math.ceil((3.2 * reach) / step);
    const disc = fading(new RingGeometry(0, radius, 40, 5), radius, colours.floor, colours.background);
    this.objects = [
      at(new Mesh(disc, new MeshBasicMaterial({ vertexColors: true, toneMapped: false })), floor, -3),
      at(grid(step, radius, colours), floor + 0.001 * reach, -2),
      ...markings(floor + 0.002 * reach, step, reach, colours, hasFront).map((mark) => at(mark, floor + 0.002 * reach, -1)),
    ];
    this.#blob = fine ? null : blob(2.1 * reach, colours);
    if (this.#blob) this.objects.push(at(this.#blob, floor + 0.0015 * reach, -1));
    else this.objects.push(at(shadowCatcher(1.6 * reach, colours), floor + 0.0015 * reach, -1));
  }

  place({ p, R }: Pick<Placement, "p" | "R">): void {
    if (!this.#blob) return;
    this.#blob.position.set(p[0], p[1], this.#blob.position.z);
    this.#blob.rotation.z = Math.atan2(R[1][0], R[0][0]);
    const high = (p[2] - this.#floor) / Math.max(this.#neutral - this.#floor, 1e-6);
    this.#blob.scale.setScalar(0.85 + 0.15 * high);
    this.#blob.material.opacity = Math.min(1, 0.85 / Math.max(high, 0.5));
  }
}

function at<T extends Object3D>(object: T, z: number, order: number): T {
  object.position.z = z;
  object.renderOrder = order;
  return object;
}

/** A metre for big bases, less for small ones. */
function gridStep(reach: number): number {
  if (reach > 12 || reach < 0.12) return 10 ** Math.floor(Math.log10(reach / 1.2));
  return reach > 1.2 ? 1 : reach > 0.6 ? 0.5 : 0.1;
}

/** Colours from the middle to the rim, eased so that no edge is seen. */
function fading(geometry: BufferGeometry, radius: number, middle: Color, rim: Color): BufferGeometry {
  const places = geometry.getAttribute("position");
  const colours = new Float32Array(3 * places.count);
  for (let k = 0; k < places.count; k += 1) {
    const share = Math.min(1, Math.hypot(places.getX(k), places.getY(k)) / radius);
    middle.clone().lerp(rim, 1 - (1 - share) ** 1.6).toArray(colours, 3 * k);
  }
  return geometry.setAttribute("color", new Float32BufferAttribute(colours, 3));
}

function grid(step: number, radius: number, colours: Theme): Object3D {
  const points: number[] = [];
  const pieces = 10; // every line in pieces, so that its colour can fade
  for (let k = -Math.round(radius / step); k <= Math.round(radius / step); k += 1) {
    const d = k * step;
    const half = Math.sqrt(Math.max(0, radius ** 2 - d ** 2));
    for (let n = 0; n < pieces; n += 1) {
      const [from, to] = [half * ((2 * n) / pieces - 1), half * ((2 * (n + 1)) / pieces - 1)];
      points.push(d, from, 0, d, to, 0, from, d, 0, to, d, 0);
    }
  }
  const geometry = new BufferGeometry().setAttribute("position", new Float32BufferAttribute(points, 3));
  const lines = new LineBasicMaterial({ vertexColors: true, toneMapped: false });
  return new LineSegments(fading(geometry, radius, colours.grid, colours.background), lines);
}

/** Where the front is, and how long a square of the grid. */
function markings(z: number, step: number, reach: number, colours: Theme, hasFront: boolean): Object3D[] {
  const high = 0.16 * reach;
  const front = lettering("FRONT", high, colours);
  front.rotation.z = Math.PI / 2; // readable from the front
  front.position.set(step * Math.ceil((1.45 * reach) / step) + 0.6 * high, 0, z);
  const scale = lettering(step >= 1 ? `${step} m` : `${1000 * step} mm`, 0.8 * high, colours);
  const x = step * Math.ceil((1.3 * reach) / step);
  scale.rotation.z = Math.PI / 2;
  scale.position.set(x + 0.7 * high, -x + step / 2, z);
  const ruler = new BufferGeometry();
  const end = 0.06 * reach;
  ruler.setAttribute("position", new Float32BufferAttribute(
    [x, -x, 0, x, -x + step, 0, x - end, -x, 0, x + end, -x, 0, x - end, -x + step, 0, x + end, -x + step, 0], 3,
  )); // prettier-ignore
  return [...(hasFront ? [front] : []), scale, new LineSegments(ruler, new LineBasicMaterial({ color: colours.text, toneMapped: false }))];
}

function lettering(text: string, high: number, colours: Theme): Mesh {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [256, 64];
  const pen = canvas.getContext("2d");
  if (pen) {
    pen.font = "600 40px system-ui, sans-serif";
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.fillStyle = colours.text;
    pen.fillText(text, 128, 34);
  }
  const map = new CanvasTexture(canvas);
  map.colorSpace = textureSpace();
  const ink = new MeshBasicMaterial({ map, transparent: true, depthWrite: false, toneMapped: false });
  return new Mesh(new PlaneGeometry(4 * high, high), ink);
}

function blob(size: number, colours: Theme): Mesh<PlaneGeometry, MeshBasicMaterial> {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 128;
  const pen = canvas.getContext("2d");
  if (pen) {
    const fall = pen.createRadialGradient(64, 64, 0, 64, 64, 64);
    const strength = colours.isDark ? 0.55 : 0.3;
    for (const [share, part] of [[0, 1], [0.35, 0.8], [0.6, 0.4], [0.85, 0.08], [1, 0]] as const)
      fall.addColorStop(share, `rgba(0, 0, 0, ${strength * part})`);
    pen.fillStyle = fall;
    pen.fillRect(0, 0, 128, 128);
  }
  const material = new MeshBasicMaterial({ map: new CanvasTexture(canvas), transparent: true, depthWrite: false, toneMapped: false });
  return new Mesh(new PlaneGeometry(size, size), material);
}

function shadowCatcher(radius: number, colours: Theme): Mesh {
  const catcher = new Mesh(new CircleGeometry(1.6 * radius, 32), new ShadowMaterial({ opacity: colours.isDark ? 0.5 : 0.22 }));
  catcher.receiveShadow = true;
  return catcher;
}
