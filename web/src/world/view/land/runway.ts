/** A runway with its markings: centre line, edges, thresholds, aiming points and numbers. */

import { CanvasTexture, Mesh, PlaneGeometry, ShaderMaterial, type IUniform } from "three";
import type { WorldRunway } from "../../../net/types";
import { AIR, type Air } from "../daylight";
import { DECAL } from "./decal";

const VERTEX = /* glsl */ `
  uniform vec2 size; // length, width [m]
  varying vec2 on; // along and across from its middle [m]
  varying vec3 place;
  void main() {
    on = position.xy;
    place = (modelMatrix * vec4(position, 1.0)).xyz;
    gl_Position = projectionMatrix * viewMatrix * vec4(place, 1.0);
  }
`;

// distances as in ICAO Annex 14, 5.2, rounded; the runway's own length and width decide what has room
const FRAGMENT = /* glsl */ `
  ${AIR}
  uniform vec2 size;
  uniform sampler2D numbers;
  varying vec2 on;
  varying vec3 place;

  float within(float x, float from, float to, float soft) {
    return smoothstep(from - soft, from + soft, x) * (1.0 - smoothstep(to - soft, to + soft, x));
  }

  void main() {
    vec2 soft = max(fwidth(on) * 0.6, vec2(0.02));
    float half_ = 0.5 * size.y;
    float side = abs(on.y);
    float end = 0.5 * size.x - abs(on.x); // from the nearer threshold
    vec2 at = place.xy + shift;
    vec4 fine = texture2D(noise, at / 12.8);
    vec4 wide = texture2D(noise, at / 128.0);
    vec3 colour = vec3(0.315, 0.325, 0.335) * (0.9 + 0.12 * fine.b + 0.14 * wide.a);
    float rubber = exp(-pow((end - 330.0) / 190.0, 2.0)) * (1.0 - smoothstep(3.0, 8.0, side)) * (0.5 + 0.5 * wide.b);
    colour *= 1.0 - 0.3 * rubber;
    float wear = 0.86 + 0.14 * fine.b;
    float paint = 0.0;
    paint = max(paint, within(side, half_ - 1.9, half_ - 1.0, soft.y)); // edges
    float dash = mod(on.x + 15.0, 50.0);
    paint = max(paint, within(dash, 0.0, 30.0, soft.x) * within(side, -1.0, 0.45, soft.y) * smoothstep(70.0, 72.0, end)); // centre line
    float bars = mod(side - 1.8, 3.6);
    paint = max(paint, within(end, 6.0, 36.0, soft.x) * within(bars, 0.0, 1.8, soft.y) * within(side, 1.8, half_ - 2.2, soft.y)); // threshold
    float aim = within(end, 300.0, 345.0, soft.x) * within(side, 0.22 * half_ + 2.0, 0.22 * half_ + 8.0, soft.y);
    paint = max(paint, aim * step(1100.0, size.x));
    float zone = within(end, 150.0, 172.5, soft.x) * within(side, 0.22 * half_ + 2.0, 0.22 * half_ + 8.0, soft.y) * (1.0 - within(mod(side, 2.6), 2.0, 2.6, soft.y));
    paint = max(paint, zone * step(1100.0, size.x));
    vec2 digit = vec2(on.x < 0.0 ? -on.y : on.y, end - 44.0) / vec2(18.0, 18.0);
    if (abs(digit.x) < 0.5 && digit.y > 0.0 && digit.y < 1.0)
      paint = max(paint, texture2D(numbers, vec2((digit.x + 0.5 + (on.x < 0.0 ? 0.0 : 1.0)) * 0.5, digit.y)).r);
    colour = mix(colour, vec3(0.93, 0.94, 0.93), paint * wear);
    float edge = smoothstep(half_, half_ - 2.0 * soft.y, side) * smoothstep(0.0, 2.0 * soft.x, end);
    colour *= mix(vec3(1.08), sunlight * 1.08, 0.5);
    gl_FragColor = vec4(hazed(colour, length(eyeAt - place)), edge);
  }
`;

export class Runway {
  readonly mesh: Mesh<PlaneGeometry, ShaderMaterial>;

  constructor(
    air: Air,
    readonly runway: WorldRunway,
  ) {
    const { length, width, heading } = runway;
    const uniforms: Record<string, IUniform> = { ...air.uniforms, size: { value: [length, width] }, numbers: { value: numbers(heading) } };
    const material = new ShaderMaterial({ vertexShader: VERTEX, fragmentShader: FRAGMENT, uniforms, ...DECAL, depthTest: false });
    this.mesh = new Mesh(new PlaneGeometry(length, width, Math.max(1, Math.round(length / 200)), 1), material);
    this.mesh.rotation.z = heading;
    this.mesh.renderOrder = 1; // right after the level ground, which cannot hide it
    this.mesh.frustumCulled = false;
  }

  place(x: number, y: number): void {
    const { p } = this.runway;
    this.mesh.position.set(p[0] - x, p[1] - y, p[2]);
  }
}

/** What stands at its ends: tenths of the compass course of a landing. x is north, as the compass of the vehicle has it. */
export function numberOf(heading: number): string {
  const tens = Math.round((-heading * 180) / Math.PI / 10);
  return String(((((tens - 1) % 36) + 36) % 36) + 1).padStart(2, "0");
}

function numbers(heading: number): CanvasTexture {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [256, 128];
  const pen = canvas.getContext("2d");
  if (pen) {
    pen.fillStyle = "#000";
    pen.fillRect(0, 0, 256, 128);
    pen.fillStyle = "#fff";
    pen.font = "bold 118px 'DejaVu Sans Condensed', 'Arial Narrow', sans-serif";
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.fillText(numberOf(heading), 64, 70, 118);
    pen.fillText(numberOf(heading + Math.PI), 192, 70, 118);
  }
  return new CanvasTexture(canvas);
}
