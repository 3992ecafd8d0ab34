/** Where the water is cut into triangles: fine near the camera and coarse far away, in the direction of the view alone. */

export interface Fan {
  readonly rings: number;
  readonly columns: number;
}

/** Rings by their share of the way out, columns from -1 to 1: two numbers for each corner, and triangles. */
export function fan({ rings, columns }: Fan): { corners: Float32Array; triangles: Uint32Array } {
  const corners = new Float32Array(2 * (rings + 1) * (columns + 1));
  const triangles = new Uint32Array(6 * rings * columns);
  let at = 0;
  for (let ring = 0; ring <= rings; ring += 1)
    for (let column = 0; column <= columns; column += 1) {
      corners[at++] = ring / rings;
      corners[at++] = (2 * column) / columns - 1;
    }
  at = 0;
  for (let ring = 0; ring < rings; ring += 1)
    for (let column = 0; column < columns; column += 1) {
      const a = ring * (columns + 1) + column;
      const c = a + columns + 1;
      triangles.set([a, c, a + 1, a + 1, c, c + 1], at);
      at += 6;
    }
  return { corners, triangles };
}

const MARGIN = 0.12; // [rad] beside what is seen: waves stand up into it

/**
 * How far to either side the camera sees the water [rad], pi where it sees what is below itself.
 * @param pitch of the camera, up is positive; @param roll [rad]; @param tall half of its vertical field [rad]; @param aspect of its picture
 */
export function halfWidth(pitch: number, roll: number, tall: number, aspect: number): number {
  const up = Math.tan(tall);
  const side = aspect * up;
  // the picture's corners, turned about the line of sight
  const [c, s] = [Math.abs(Math.cos(roll)), Math.abs(Math.sin(roll))];
  const [x, y] = [c * side + s * up, s * side + c * up];
  const ahead = Math.cos(pitch) + Math.sin(Math.min(0, pitch)) * y; // of the lowest row, level
  const top = Math.cos(pitch) - Math.sin(Math.max(0, pitch)) * y;
  const least = Math.min(ahead, top);
  return least <= 0.05 ? Math.PI : Math.min(Math.PI, Math.atan2(x, least) + MARGIN);
}
