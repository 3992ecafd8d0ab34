/** Mouse, touch and keys that turn the camera of the view outside. */

const RADIANS_PER_HEIGHT = 3;
const WHEEL = 0.0012;
const KEY_ZOOM = 1.15;

export interface Moves {
  /** [rad] */
  turn(azimuth: number, elevation: number): void;
  zoom(factor: number): void;
  reset(): void;
}

export function listen(canvas: HTMLCanvasElement, moves: Moves): void {
  const down = new Map<number, PointerEvent>();
  canvas.addEventListener("pointerdown", (event) => {
    down.set(event.pointerId, event);
    canvas.setPointerCapture(event.pointerId);
  });
  const up = (event: PointerEvent): void => void down.delete(event.pointerId);
  canvas.addEventListener("pointerup", up);
  canvas.addEventListener("pointercancel", up);
  canvas.addEventListener("pointermove", (event) => {
    const before = down.get(event.pointerId);
    if (!before) return;
    const tall = Math.max(1, canvas.clientHeight);
    const other = [...down].find(([id]) => id !== event.pointerId)?.[1];
    if (other) {
      const apart = (one: PointerEvent): number => Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
      moves.zoom(apart(before) / Math.max(1, apart(event)));
    } else moves.turn((-RADIANS_PER_HEIGHT * (event.clientX - before.clientX)) / tall, (RADIANS_PER_HEIGHT * (event.clientY - before.clientY)) / tall);
    down.set(event.pointerId, event);
  });
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    moves.zoom(Math.exp(WHEEL * Math.max(-240, Math.min(240, event.deltaY * (event.deltaMode === 1 ? 30 : 1)))));
  }, { passive: false }); // prettier-ignore
  canvas.addEventListener("dblclick", () => moves.reset());
  canvas.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "+" || event.key === "=") moves.zoom(1 / KEY_ZOOM);
    else if (event.key === "-") moves.zoom(KEY_ZOOM);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
}
