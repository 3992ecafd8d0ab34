/**
 * Sky, sun and haze: colours that all surfaces of the outside view share, and the functions that make them.
 *
 * All shaders of this view are our own and write colours as the screen shows them, without light in linear numbers:
 * a processor has to draw it too.
 */

import { Vector2, Vector3, type IUniform, type Texture } from "three";

/** After so many metres patterns on water and ground repeat: numbers in a shader stay small however far one goes. */
export const REPEAT_M = 12_800;

export interface Air {
  readonly uniforms: Record<string, IUniform>;
  /** FINE where a graphics card draws. */
  readonly defines: Record<string, string>;
  /** How far one sees [m]. */
  setSight(distance: number): void;
}

const SUN: Record<"sea" | "land", [number, number, number]> = { sea: [0.5, 0.66, 0.46], land: [-0.42, 0.62, 0.62] }; // over glittering water ahead, or behind who looks ahead

/** @param noise see noise.ts */
export function daylight(noise: Texture, kind: "sea" | "land", fine: boolean): Air {
  const colour = (hex: number): Vector3 => new Vector3((hex >> 16) / 255, ((hex >> 8) & 255) / 255, (hex & 255) / 255);
  const haze: IUniform<number> = { value: 1 / 6000 };
  const uniforms: Record<string, IUniform> = {
    noise: { value: noise },
    sun: { value: new Vector3(...SUN[kind]).normalize() },
    zenith: { value: colour(kind === "sea" ? 0x3f7fbe : 0x3b7cc4) },
    horizon: { value: colour(kind === "sea" ? 0xc3d5df : 0xcbd9e0) },
    sunlight: { value: colour(0xfff0d2) },
    haze,
    eyeAt: { value: new Vector3() },
    /** Where the origin of what is drawn is in the world, within the length after which patterns repeat. */
    shift: { value: new Vector2() },
    seconds: { value: 0 },
  };
  return { uniforms, defines: fine ? { FINE: "" } : {}, setSight: (distance) => (haze.value = 1 / distance) };
}

/** For fragment shaders: the sky in a direction, and what is seen through the haze. */
export const AIR = /* glsl */ `
  uniform vec3 sun, zenith, horizon, sunlight, eyeAt;
  uniform float haze, seconds;
  uniform vec2 shift;
  uniform sampler2D noise;

  vec3 skyColour(float up) {
    float u = clamp(up, 0.0, 1.0);
    return mix(horizon, zenith, sqrt(u) * (1.25 - 0.25 * u));
  }

  vec3 hazed(vec3 colour, float distance) {
    float d = distance * haze;
    d *= d;
    return mix(colour, horizon, d / (0.55 + d)); // without exp, which costs a processor much
  }
`;
