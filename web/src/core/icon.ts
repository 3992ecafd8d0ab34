/**
 * Icons drawn with strokes, in the colour of the text.
 *
 * Every line and arc is a path of its own, with round ends: it looks like one path with round corners, but all its
 * parts are convex. More than a few strokes that are not make Chromium paint everything around them with many
 * samples a pixel, which without a graphics card takes twice as long.
 */

const SVG = "http://www.w3.org/2000/svg";
const SIZES: Record<string, number> = { M: 2, L: 2, H: 1, V: 1, C: 6, S: 4, A: 7, Z: 0 };

/** @param paths several, with | between them; known are M, L, H, V, C, S, A and Z, great and small */
export function icon(paths: string, size = 16): SVGSVGElement {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("width", String(size));
  svg.setAttribute("height", String(size));
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  for (const d of paths.split("|").flatMap(strokes)) {
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("d", d);
    svg.append(path);
  }
  return svg;
}

/** A path as the paths of its single lines and curves; smooth curves stay with what they continue. */
export function strokes(path: string): string[] {
  const found: string[] = [];
  let [x, y, beginX, beginY] = [0, 0, 0, 0];
  for (const { command, numbers } of segments(path)) {
    const kind = command.toUpperCase();
    const from = `M${x} ${y}`;
    const [baseX, baseY] = command === kind ? [0, 0] : [x, y];
    const [lastX, lastY] = [numbers.at(-2) ?? 0, numbers.at(-1) ?? 0];
    if (kind === "H") x = baseX + lastY;
    else if (kind === "V") y = baseY + lastY;
    else if (kind === "Z") [x, y] = [beginX, beginY];
    else [x, y] = [baseX + lastX, baseY + lastY];
    if (kind === "M") [beginX, beginY] = [x, y];
    else if (kind === "Z") found.push(`${from}L${x} ${y}`);
    else if (kind === "S" && found.length) found[found.length - 1] += `${command}${numbers.join(" ")}`;
    else found.push(`${from}${command}${numbers.join(" ")}`);
  }
  return found;
}

function* segments(path: string): Generator<{ command: string; numbers: number[] }> {
  for (const [, letter = "", rest = ""] of path.matchAll(/([A-Za-z])([^A-Za-z]*)/g)) {
    const values = (rest.match(/-?(?:\d+\.?\d*|\.\d+)/g) ?? []).map(Number);
    const size = SIZES[letter.toUpperCase()];
    if (size === undefined || (size === 0 ? values.length > 0 : values.length % size !== 0)) throw new Error(`icon ${path}: ${letter}${rest}`);
    if (size === 0) yield { command: letter, numbers: [] };
    for (let k = 0; size && k < values.length; k += size) {
      // pairs that follow a move are lines
      const command = k === 0 ? letter : letter === "M" ? "L" : letter === "m" ? "l" : letter;
      yield { command, numbers: values.slice(k, k + size) };
    }
  }
}
