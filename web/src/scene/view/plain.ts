/** Surfaces for machines without a graphics card: light is worked out once for every corner, and only filled in between. */

import { Color, MeshBasicMaterial, Vector3, type IUniform } from "three";
import type { Theme } from "./theme";

const LIGHT = /* glsl */ `
  #include <color_vertex>
  vec3 facing = normal;
  #ifdef USE_INSTANCING
    facing = mat3(instanceMatrix) * facing;
  #endif
  facing = normalize(mat3(modelMatrix) * facing);
  vec3 light = mix(lightGround, lightSky, 0.5 + 0.5 * facing.z);
  light += lightKey * max(0.0, dot(facing, towardsKey)) + lightRim * max(0.0, dot(facing, towardsRim));
  vColor.rgb *= light;
`;
const NAMES = "uniform vec3 lightGround, lightSky, lightKey, lightRim, towardsKey, towardsRim;\n";

/** A sky, a lamp to the front right and a cooler one behind, all far away. */
export function plainSurface(colours: Theme): MeshBasicMaterial {
  const { isDark } = colours;
  const uniforms: Record<string, IUniform> = {
    lightGround: { value: new Color(isDark ? "#4a525c" : "#737c86") },
    lightSky: { value: new Color(isDark ? "#98a3b0" : "#b4bbc3") },
    lightKey: { value: new Color(isDark ? "#756f66" : "#67635c") },
    lightRim: { value: new Color(isDark ? "#2c3846" : "#242c35") },
    towardsKey: { value: new Vector3(2.0, -0.9, 2.3).normalize() },
    towardsRim: { value: new Vector3(-1.8, 1.6, 1.1).normalize() },
  };
  const material = new MeshBasicMaterial({ vertexColors: true, toneMapped: false });
  material.onBeforeCompile = (shader) => {
    Object.assign(shader.uniforms, uniforms);
    shader.vertexShader = NAMES + shader.vertexShader.replace("#include <color_vertex>", LIGHT);
  };
  return material;
}
