/** three.js without the parts that the shaded view does not use, and its shaders without their comments. */

import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";

const NO_XR = fileURLToPath(new URL("./no_xr.js", import.meta.url));
const UNUSED = /ShaderLib\/(mesh(lambert|matcap|normal|phong|toon)|linedashed|backgroundCube|equirect|points|vsm)\.glsl\.js$/;
/** Of surfaces that are never asked for: glass, soap film, dithered or clipped ones, bones, morphs, probes, batches. */
const UNUSED_CHUNK =
  /ShaderChunk\/(transmission|iridescence|lightprobes|alphahash|batching|clipping_planes|bumpmap|morph\w*|skin(base|ning|normal)|lights_(phong|lambert|toon)|gradientmap|displacementmap)_\w+\.glsl\.js$/;
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
      return SHADER.test(id) ? withoutComments(readFileSync(id, "utf8")) : null;
    },
  };
}

/** Lines stay lines: the preprocessor of shaders needs them. */
function withoutComments(shader: string): string {
  const bare = shader.replace(/\/\*[^]*?\*\//g, "").replace(/\/\/.*/g, "");
  return bare.split("\n").map((line) => line.trim()).filter(Boolean).join("\n");
}
