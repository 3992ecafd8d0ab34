/** three.js without the parts that the shaded view does not use: some 50 kB less to load. */

import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";

const NO_XR = fileURLToPath(new URL("./no_xr.js", import.meta.url));
const UNUSED = /ShaderLib\/(mesh(lambert|matcap|normal|phong|toon)|linedashed|backgroundCube|equirect|points|vsm)\.glsl\.js$/;

export function threeWithoutUnused(): Plugin {
  return {
    name: "three-without-unused",
    enforce: "pre",
    resolveId(source) {
      if (source === "three") return this.resolve("three/src/Three.js");
      return source.endsWith("/WebXRManager.js") ? NO_XR : null;
    },
    load(id) {
      return UNUSED.test(id) ? 'export const vertex = ""; export const fragment = "";' : null;
    },
  };
}
