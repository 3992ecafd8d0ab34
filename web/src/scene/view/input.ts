/** Mouse, touch and keyboard for the camera. */

import type { OrbitCamera } from "./camera";

const KEY_TURN = 0.09;
const KEY_PAN = 0.05;
const KEY_ZOOM = 1.12;
const WHEEL = 0.0012;
const RADIANS_PER_HEIGHT = 3.2;

export interface Gestures {
  /** The camera was moved. */
  moved(): void;
  /** The pointer was released: a good time to save the camera. */
  rested(): void;
  /** Whether a hand at this place takes hold of the platform, in shares of the canvas, -1 to 1, y up. */
  grasps(x: number, y: number): boolean;
  /** It was moved, by heights of the canvas; down is positive. */
  dragged(dx: number, dy: number, isTurn: boolean): void;
  /** Double click, in shares of the canvas, -1 to 1, y up. */
  picked(x: number, y: number): void;
}

export function listen(canvas: HTMLCanvasElement, camera: OrbitCamera, gestures: Gestures): void {
  const down = new Map<number, PointerEvent>();
  let holds: number | null = null; // the pointer that has hold of the platform

  canvas.addEventListener("pointerdown", (event) => {
    if (down.size === 0 && event.button === 0 && gestures.grasps(...shares(canvas, event))) holds = event.pointerId;
    down.set(event.pointerId, event);
    canvas.setPointerCapture(event.pointerId);
  });
  const up = (event: PointerEvent): void => {
    if (holds === event.pointerId) holds = null;
    if (down.delete(event.pointerId)) gestures.rested();
  };
  canvas.addEventListener("pointerup", up);
  canvas.addEventListener("pointercancel", up);
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());

  canvas.addEventListener("pointermove", (event) => {
    const before = down.get(event.pointerId);
    if (!before) return;
    const tall = Math.max(1, canvas.clientHeight);
    const [dx, dy] = [(event.clientX - before.clientX) / tall, (event.clientY - before.clientY) / tall];
    if (holds === event.pointerId) {
      down.set(event.pointerId, event);
      return gestures.dragged(dx, dy, event.shiftKey);
    }
    const other = [...down].find(([id]) => id !== event.pointerId)?.[1];
    if (other) {
      const apart = (one: PointerEvent): number => Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
      camera.zoom(apart(before) / Math.max(1, apart(event)));
      camera.pan(dx / 2, dy / 2);
    } else if (event.shiftKey || (event.buttons & 6) !== 0) camera.pan(dx, dy);
    else camera.orbit(RADIANS_PER_HEIGHT * dx, RADIANS_PER_HEIGHT * dy);
    down.set(event.pointerId, event);
    gestures.moved();
  });

  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    camera.zoom(Math.exp(WHEEL * Math.max(-240, Math.min(240, event.deltaY * (event.deltaMode === 1 ? 30 : 1)))));
    gestures.moved();
    gestures.rested();
  }, { passive: false }); // prettier-ignore

  canvas.addEventListener("dblclick", (event) => {
    gestures.picked(...shares(canvas, event));
  });

  canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !byKey(event, camera)) return;
    event.preventDefault();
    event.stopPropagation();
    gestures.moved();
    gestures.rested();
  });
}

function shares(canvas: HTMLCanvasElement, event: MouseEvent): [number, number] {
  const box = canvas.getBoundingClientRect();
  return [(2 * (event.clientX - box.left)) / box.width - 1, 1 - (2 * (event.clientY - box.top)) / box.height];
}

function byKey(event: KeyboardEvent, camera: OrbitCamera): boolean {
  const way = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
  if (way) {
    const [x = 0, y = 0] = way;
    if (event.shiftKey) camera.pan(-KEY_PAN * x, -KEY_PAN * y);
    else camera.orbit(-KEY_TURN * x, -KEY_TURN * y);
    return true;
  }
  if (event.key === "+" || event.key === "=") camera.zoom(1 / KEY_ZOOM);
  else if (event.key === "-") camera.zoom(KEY_ZOOM);
  else return false;
  return true;
}
