/** Small flags of constant size on the screen: leg numbers, names of points. */

import { CanvasTexture, Sprite, SpriteMaterial, Vector2 } from "three";
import { textureSpace } from "./theme";

const PIXELS = 64; // of a flag's height in its own texture

export interface Look {
  text: string;
  ink: string;
  fill: string;
  line: string;
}

export class Label {
  readonly sprite: Sprite;
  readonly #wide: number;
  readonly #high: number;

  /** @param high on the screen [pixels]; @param beside whether it stands to the right of its point, not on it */
  constructor(look: Look, high: number, beside = false) {
    const { canvas, wide } = drawn(look);
    const map = new CanvasTexture(canvas);
    map.colorSpace = textureSpace();
    const material = new SpriteMaterial({ map, depthTest: false, depthWrite: false, sizeAttenuation: false, toneMapped: false });
    this.sprite = new Sprite(material);
    this.sprite.renderOrder = 10;
    if (beside) this.sprite.center = new Vector2(-0.12, 0.5);
    this.#wide = wide / PIXELS;
    this.#high = high;
  }

  /** @param perPixel size of a pixel at a distance of one metre, or of the whole view where it is orthographic [m] */
  scale(perPixel: number): void {
    const high = this.#high * perPixel;
    this.sprite.scale.set(this.#wide * high, high, 1);
  }
}

function drawn(look: Look): { canvas: HTMLCanvasElement; wide: number } {
  const canvas = document.createElement("canvas");
  const pen = canvas.getContext("2d");
  const font = "600 38px system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif";
  if (!pen) return { canvas, wide: PIXELS };
  pen.font = font;
  const wide = Math.max(PIXELS, Math.ceil(pen.measureText(look.text).width) + 36);
  [canvas.width, canvas.height] = [wide, PIXELS];
  pen.font = font; // a canvas forgets it with its size
  pen.fillStyle = look.fill;
  pen.strokeStyle = look.line;
  pen.lineWidth = 3;
  pen.beginPath();
  pen.roundRect(2, 2, wide - 4, PIXELS - 4, PIXELS / 2 - 2);
  pen.fill();
  pen.stroke();
  pen.fillStyle = look.ink;
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.fillText(look.text, wide / 2, PIXELS / 2 + 3);
  return { canvas, wide };
}
