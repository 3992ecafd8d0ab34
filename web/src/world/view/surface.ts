/** Painted solids in daylight: light is worked out at their corners, so that a processor can draw them too. */

import { Box3, Color, ColorManagement, DoubleSide, Mesh, ShaderMaterial, Vector3, type BufferGeometry } from "three";
import type { ModelShape } from "../../net/types";
import { solids } from "../../scene/view/shapes";
import { turnedOut } from "../winding";
import { AIR, type Air } from "./daylight";
import { DECAL } from "./land/decal";

const VERTEX = /* glsl */ `
  uniform vec3 sun, sunlight, eyeAt;
  attribute vec3 color;
  varying vec3 shade, behind; // of the side that is seen, and of the other one
  varying float far;
  vec3 lit(vec3 n) {
    return mix(vec3(0.36, 0.38, 0.39), vec3(0.56, 0.62, 0.69), 0.5 + 0.5 * n.z) + sunlight * 0.42 * max(0.0, dot(n, sun)); // white stays below white
  }
  void main() {
    mat4 place = modelMatrix;
    #ifdef USE_INSTANCING
      place = modelMatrix * instanceMatrix;
    #endif
    vec4 at = place * vec4(position, 1.0);
    vec3 n = normalize(mat3(place) * normal);
    vec3 toEye = eyeAt - at.xyz;
    far = length(toEye);
    float gloss = max(0.0, dot(n, normalize(toEye / far + sun)));
    gloss *= gloss; gloss *= gloss; gloss *= gloss; gloss *= gloss;
    shade = color * lit(n) + sunlight * 0.16 * gloss;
    behind = color * lit(-n) * 0.9;
    gl_Position = projectionMatrix * viewMatrix * at;
  }
`;

const FRAGMENT = /* glsl */ `
  ${AIR}
  varying vec3 shade, behind;
  varying float far;
  void main() {
    gl_FragColor = vec4(hazed(gl_FrontFacing ? shade : behind, far), 1.0);
  }
`;

/** @param isOpen seen from within too: an open boat has but one wall */
export function paint(air: Air, isOpen = false): ShaderMaterial {
  return new ShaderMaterial({ vertexShader: VERTEX, fragmentShader: FRAGMENT, uniforms: air.uniforms, ...(isOpen ? { side: DoubleSide } : {}) });
}

/** A faint disc where something turns too fast to be seen. */
export function blur(): ShaderMaterial {
  const vertexShader = "void main() { gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }";
  const fragmentShader = "void main() { gl_FragColor = vec4(0.25, 0.27, 0.3, 0.16); }";
  return new ShaderMaterial({ vertexShader, fragmentShader, side: DoubleSide, ...DECAL });
}

const WITHOUT = "#c9ced2"; // colour of shapes that have none

/** Shapes as one; null where there are none. */
export function solid(shapes: readonly ModelShape[], surface: ShaderMaterial): Mesh | null {
  const geometry = solids(shapes.map(turnedOut), () => new Color(WITHOUT));
  if (!geometry) return null;
  if (ColorManagement.enabled) asWritten(geometry);
  return new Mesh(geometry, surface);
}

/** Colours as the screen shows them, where three.js has made linear ones. */
function asWritten(geometry: BufferGeometry): void {
  const colours = geometry.getAttribute("color").array;
  for (let k = 0; k < colours.length; k += 1) {
    const linear = colours[k] ?? 0;
    colours[k] = linear < 0.0031308 ? 12.92 * linear : 1.055 * linear ** (1 / 2.4) - 0.055; // IEC 61966-2-1
  }
}

/** How large they are, in their own axes [m]; a metre where there are none. */
export function extent(mesh: Mesh | null): { size: Vector3; box: Box3 } {
  const box = mesh ? new Box3().setFromObject(mesh) : new Box3(new Vector3(-0.5, -0.5, 0), new Vector3(0.5, 0.5, 1));
  return { size: box.getSize(new Vector3()), box };
}
