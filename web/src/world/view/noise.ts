/** Patterns that repeat without a seam, made once: no picture is loaded for the outside view. */

import { DataTexture, LinearFilter, LinearMipmapLinearFilter, LinearMipmapNearestFilter, RGBAFormat, RepeatWrapping, UnsignedByteType } from "three";
import { scattered } from "../maths";

const SIZE = 256;
const RIPPLES = 36;
const STEEP = 0.42; // of ripples that are stored at their ends

/**
 * Red and green: slopes of ripples; blue: foam; alpha: clouds, soft and large.
 * @param fine from nearby to far without a step: a processor has twice the work with it
 */
export function noiseTexture(fine: boolean): DataTexture {
  const ripples = slopes();
  const foam = cloudy(16, 4, 1);
  const clouds = cloudy(4, 6, 2);
  const bytes = new Uint8Array(4 * SIZE * SIZE);
  for (let k = 0; k < SIZE * SIZE; k += 1) {
    bytes[4 * k] = byte(0.5 + (0.5 * (ripples.x[k] ?? 0)) / STEEP);
    bytes[4 * k + 1] = byte(0.5 + (0.5 * (ripples.y[k] ?? 0)) / STEEP);
    bytes[4 * k + 2] = byte(foam[k] ?? 0);
    bytes[4 * k + 3] = byte(clouds[k] ?? 0);
  }
  return repeating(bytes, fine);
}

function repeating(bytes: Uint8Array, fine: boolean, size = SIZE): DataTexture {
  const texture = new DataTexture(bytes, size, size, RGBAFormat, UnsignedByteType);
  texture.wrapS = texture.wrapT = RepeatWrapping;
  texture.magFilter = LinearFilter;
  texture.minFilter = fine ? LinearMipmapLinearFilter : LinearMipmapNearestFilter;
  texture.generateMipmaps = true;
  texture.needsUpdate = true;
  return texture;
}

function byte(share: number): number {
  return Math.round(255 * Math.min(1, Math.max(0, share)));
}

/** Slopes of short crested ripples: cosines that fit into the square a whole number of times. */
function slopes(): { x: Float32Array; y: Float32Array } {
  const [x, y] = [new Float32Array(SIZE * SIZE), new Float32Array(SIZE * SIZE)];
  const table = Float32Array.from({ length: SIZE }, (_, k) => Math.sin((2 * Math.PI * k) / SIZE));
  for (let n = 0; n < RIPPLES; n += 1) {
    const turn = 2 * Math.PI * scattered(n, 1);
    const length = 3 + 20 * scattered(n, 2) ** 1.5;
    const [kx, ky] = [Math.round(length * Math.cos(turn)), Math.round(length * Math.sin(turn))];
    const size = Math.hypot(kx, ky);
    if (size === 0) continue;
    const [sx, sy] = [(0.075 * kx) / size, (0.075 * ky) / size];
    const begin = Math.round(SIZE * scattered(n, 3));
    for (let row = 0; row < SIZE; row += 1)
      for (let column = 0; column < SIZE; column += 1) {
        const wave = table[(kx * column + ky * row + begin) & (SIZE - 1)] ?? 0;
        x[row * SIZE + column] = (x[row * SIZE + column] ?? 0) + sx * wave;
        y[row * SIZE + column] = (y[row * SIZE + column] ?? 0) + sy * wave;
      }
  }
  return { x, y };
}

/** Smooth random numbers of several sizes, 0 to 1. @param cells of the coarsest along a side */
function cloudy(cells: number, layers: number, seed: number, size = SIZE): Float32Array {
  const sum = new Float32Array(size * size);
  for (let layer = 0, weight = 0.5, count = cells; layer < layers && count <= size; layer += 1, weight /= 2, count *= 2) {
    const grid = Float32Array.from({ length: count * count }, (_, k) => scattered(k, seed, layer));
    const ease = (share: number): number => share * share * (3 - 2 * share);
    for (let row = 0; row < size; row += 1) {
      const v = (row * count) / size;
      const [r0, fv] = [Math.floor(v), ease(v % 1)];
      const [top, low] = [r0 * count, ((r0 + 1) % count) * count];
      for (let column = 0; column < size; column += 1) {
        const u = (column * count) / size;
        const [c0, fu] = [Math.floor(u), ease(u % 1)];
        const c1 = (c0 + 1) % count;
        const upper = (grid[top + c0] ?? 0) * (1 - fu) + (grid[top + c1] ?? 0) * fu;
        const lower = (grid[low + c0] ?? 0) * (1 - fu) + (grid[low + c1] ?? 0) * fu;
        sum[row * size + column] = (sum[row * size + column] ?? 0) + weight * (upper * (1 - fv) + lower * fv);
      }
    }
  }
  return sum;
}
