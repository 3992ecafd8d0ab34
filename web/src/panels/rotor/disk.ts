/** The disk from above, front up: one quantity of the blades around the azimuth, and along it. */

import type { App } from "../../app";
import { h, setText } from "../../core/dom";
import { effect, signal } from "../../core/signal";
import { platformOf } from "../../scene/platform_source";
import { section } from "../common/ui";
import { azimuthOf, quantitiesOf, Swept, type Quantity } from "./blades";

const KEPT = 300; // records: some turns
const [DISK, LOW] = [0.62, 0.34]; // radius of the mean, and how far the extremes are from it, over half of the picture
const LEAST = 1e-3; // of a range over its mean: below, all is the same
const COLOURS = ["--trace-1", "--trace-2", "--trace-3", "--trace-4", "--trace-5", "--trace-6"];
const TURN = 2 * Math.PI;
const DRAWN_MS = 60;

export function disk(app: App): HTMLElement {
  const swept = new Swept(KEPT);
  const quantities = signal<readonly Quantity[]>([]);
  const chosen = signal<Quantity | null>(null);
  const select = h("select", {
    "aria-label": "Quantity of the blades", "data-test": "rotor-quantity",
    onchange: () => choose(quantities.peek()[select.selectedIndex] ?? null),
  }); // prettier-ignore
  const polar = h("canvas", { class: "rt-polar", role: "img", "data-test": "rotor-disk" });
  const along = h("canvas", { class: "rt-along", role: "img", "data-test": "rotor-along" });
  const text = h("p", { class: "faint p-small num", "data-test": "rotor-range" });
  const element = section("Disk", [select], h("div", { class: "rt-disk" }, polar, along), text);
  const hub = hubOf(app);
  const choose = (one: Quantity | null): void => {
    chosen.set(one);
    swept.clear();
  };
  effect(() => {
    const found = quantitiesOf(app.session.schema()?.channels ?? []);
    const before = chosen.peek()?.name;
    quantities.set(found);
    select.replaceChildren(...found.map(({ name }) => h("option", { value: name, selected: name === before }, name.replaceAll("_", " "))));
    choose(found.find(({ name }) => name === before) ?? found[0] ?? null);
    element.hidden = found.length === 0;
  });
  let [version, drawn] = [-1, -Infinity];
  app.onFrame((now) => {
    const quantity = chosen.peek();
    if (!quantity || app.live.version === version || !element.checkVisibility()) return;
    version = app.live.version;
    const channel = hub();
    const psi = azimuthOf(app.value("azimuth"), app.value(`${channel}_qw`), app.value(`${channel}_qz`));
    swept.add(psi, quantity.places.map((place) => quantity.factor * (app.live.newest[place] ?? NaN)));
    if (now - drawn < DRAWN_MS) return;
    drawn = now;
    const style = getComputedStyle(element);
    const ink = { line: style.getPropertyValue("--line"), text: style.getPropertyValue("--text-3"), dots: COLOURS.map((name) => style.getPropertyValue(name)) };
    drawPolar(polar, swept, ink);
    drawAlong(along, swept, ink);
    if (!app.isBeat) return;
    const { least, mean, most } = swept.range();
    const told = (value: number): string => (Number.isFinite(value) ? value.toPrecision(4) : "–");
    setText(text, `${told(least)} to ${told(most)}, mean ${told(mean)} ${quantity.unit}`);
  });
  return element;
}

/** The channel of the hub's pose. */
function hubOf(app: App): () => string {
  const found = platformOf(app);
  return () => {
    const now = found.peek();
    if (now.state !== "here" || now.scene.kind !== "model") return "";
    const { rotor, bodies } = now.scene;
    return bodies.find(({ name }) => name === rotor?.hub)?.channel ?? "";
  };
}

interface Ink {
  readonly line: string;
  readonly text: string;
  readonly dots: readonly string[];
}

/** A drawing in CSS pixels, cleared. */
function cleared(canvas: HTMLCanvasElement): { pen: CanvasRenderingContext2D; width: number; height: number } | null {
  const { clientWidth: width, clientHeight: height } = canvas;
  const scale = devicePixelRatio || 1;
  if (canvas.width !== Math.round(width * scale)) canvas.width = Math.round(width * scale);
  if (canvas.height !== Math.round(height * scale)) canvas.height = Math.round(height * scale);
  const pen = canvas.getContext("2d");
  if (!pen || width === 0) return null;
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  pen.clearRect(0, 0, width, height);
  pen.font = "10px system-ui, sans-serif";
  return { pen, width, height };
}

/** Where the mean is and how far one unit goes from it, so that the extremes have room. */
function scaleOf(swept: Swept): { mean: number; per: number } {
  const { least, mean, most } = swept.range();
  const reach = Math.max(most - mean, mean - least, LEAST * Math.abs(mean), 1e-12);
  return { mean, per: 1 / reach };
}

function drawPolar(canvas: HTMLCanvasElement, swept: Swept, ink: Ink): void {
  const drawing = cleared(canvas);
  if (!drawing) return;
  const { pen, width, height } = drawing;
  const half = Math.min(width, height) / 2;
  const [x0, y0] = [width / 2, height / 2];
  pen.strokeStyle = ink.line;
  for (const r of [DISK - LOW, DISK, DISK + LOW]) {
    pen.beginPath();
    pen.setLineDash(r === DISK ? [] : [2, 3]);
    pen.arc(x0, y0, r * half, 0, TURN);
    pen.stroke();
  }
  pen.setLineDash([]);
  pen.beginPath();
  pen.moveTo(x0 - half, y0);
  pen.lineTo(x0 + half, y0);
  pen.moveTo(x0, y0 - half);
  pen.lineTo(x0, y0 + half);
  pen.stroke();
  pen.fillStyle = ink.text;
  for (const [label, x, y] of [["180°", x0 + 3, 10], ["0°", x0 + 3, height - 3], ["90°", width - 22, y0 - 3], ["270°", 2, y0 - 3]] as const) pen.fillText(label, x, y);
  const { mean, per } = scaleOf(swept);
  swept.rows.forEach(({ psi, values }, k) => {
    pen.globalAlpha = 0.15 + (0.85 * (k + 1)) / swept.rows.length;
    values.forEach((value, blade) => {
      const angle = psi + (TURN * blade) / values.length;
      const r = half * (DISK + LOW * per * (value - mean));
      dot(pen, x0 + r * Math.sin(angle), y0 + r * Math.cos(angle), ink.dots[blade % ink.dots.length] ?? "");
    });
  });
  pen.globalAlpha = 1;
}

function drawAlong(canvas: HTMLCanvasElement, swept: Swept, ink: Ink): void {
  const drawing = cleared(canvas);
  if (!drawing) return;
  const { pen, width, height } = drawing;
  const middle = height / 2;
  pen.strokeStyle = ink.line;
  pen.fillStyle = ink.text;
  pen.beginPath();
  for (let k = 0; k <= 4; k += 1) {
    const x = 0.5 + (k / 4) * (width - 1);
    pen.moveTo(x, 0);
    pen.lineTo(x, height - 12);
    if (k < 4) pen.fillText(`${90 * k}°`, x + 2, height - 2);
  }
  pen.moveTo(0, middle - 6);
  pen.lineTo(width, middle - 6);
  pen.stroke();
  const { mean, per } = scaleOf(swept);
  swept.rows.forEach(({ psi, values }, k) => {
    pen.globalAlpha = 0.15 + (0.85 * (k + 1)) / swept.rows.length;
    values.forEach((value, blade) => {
      const share = ((psi + (TURN * blade) / values.length) % TURN) / TURN;
      dot(pen, share * width, middle - 6 - 0.9 * (middle - 8) * per * (value - mean), ink.dots[blade % ink.dots.length] ?? "");
    });
  });
  pen.globalAlpha = 1;
}

function dot(pen: CanvasRenderingContext2D, x: number, y: number, colour: string): void {
  pen.fillStyle = colour;
  pen.fillRect(x - 1.25, y - 1.25, 2.5, 2.5);
}
