/** three.js without the parts that the shaded view does not use, and its shaders without their comments. */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";

const NO_XR = fileURLToPath(new URL("./no_xr.js", import.meta.url));
const UNUSED = /ShaderLib\/(mesh(lambert|matcap|normal|phong|toon)|linedashed|backgroundCube|equirect|points|vsm)\.glsl\.js$/;
/** Of surfaces that are never asked for: glass, soap film, dithered or clipped ones, bones, morphs, probes, batches. */
const UNUSED_CHUNK =
  /ShaderChunk\/(transmission|iridescence|lightprobes|alphahash|batching|clipping_planes|bumpmap|morph\w*|skin(base|ning|normal)|lights_(phong|lambert|toon)|gradientmap|displacementmap)_\w+\.glsl\.js$/;
/** What shaders ask for by name and no material here has: maps, coats, cloth, fog, bones, other depth buffers. */
const NEVER =
  /^(PHYSICAL|IOR|DITHERING|FOG_EXP2?|DECODE_VIDEO_TEXTURE\w*|USE_(TANGENT|FOG|SKINNING|DISPERSION|ALPHAHASH|(LOGARITHMIC|REVERSED)_DEPTH_BUFFER|(CLEARCOAT|IRIDESCENCE|SHEEN|RETROREFLECTION|ANISOTROPY|DIFFUSE_ROUGHNESS|TRANSMISSION|SPECULAR|BATCHING|NORMALMAP|MORPH|POINTS_UV)\w*|(LIGHT|DISPLACEMENT|THICKNESS|ROUGHNESS|METALNESS|EMISSIVE|AO|BUMP|ALPHA|GRADIENT)MAP))$/;
const SHADER = /three\/src\/renderers\/shaders\/Shader(Lib|Chunk)\/\w+\.glsl\.js$/;

export function threeWithoutUnused(): Plugin {
  return {
    name: "three-without-unused",
    enforce: "pre",
    resolveId(source) {
      if (source === "three") return this.resolve("three/src/Three.js");
      return source.endsWith("/WebXRManager.js") ? NO_XR : null;
    },
    load(id) {
      if (UNUSED.test(id)) return 'export const vertex = ""; export const fragment = "";';
      if (UNUSED_CHUNK.test(id)) return 'export default "";';
      return SHADER.test(id) ? withoutUnused(withoutComments(readFileSync(id, "utf8"))) : null;
    },
  };
}

/** Lines stay lines: the preprocessor of shaders needs them. */
function withoutComments(shader: string): string {
  const bare = shader.replace(/\/\*[^]*?\*\//g, "").replace(/\/\/.*/g, "");
  return bare.split("\n").map((line) => line.trim()).filter(Boolean).join("\n");
}

/** Without the branches that NEVER takes; a directive of the preprocessor has a line of its own. */
function withoutUnused(shader: string): string {
  const kept: string[] = [];
  const open: { known: boolean; drops: boolean }[] = [];
  for (const line of shader.split("\n")) {
    const begins = /^#if(n?)def\s+(\w+)$/.exec(line) ?? /^#if\s+(!?)\s*defined\s*\(\s*(\w+)\s*\)$/.exec(line);
    const inner = open.at(-1);
    if (begins) open.push(NEVER.test(begins[2]) ? { known: true, drops: !begins[1] } : { known: false, drops: false });
    else if (/^#if/.test(line)) open.push({ known: false, drops: false });
    if (/^#if/.test(line) && open.at(-1)!.known) continue;
    if (inner?.known && line === "#else") {
      inner.drops = !inner.drops;
      continue;
    }
    if (inner?.known && inner.drops && line.startsWith("#elif")) {
      open[open.length - 1] = { known: false, drops: false };
      if (!open.some((one) => one.drops)) kept.push(line.replace("#elif", "#if"));
      continue;
    }
    if (inner?.known && line.startsWith("#elif")) throw new Error(`three: the branch of ${line} is never taken`);
    const ends = /^#endif/.test(line);
    if (!open.some((one) => one.drops) && !(ends && inner?.known)) kept.push(line);
    if (ends) open.pop();
  }
  return kept.join("\n");
}
