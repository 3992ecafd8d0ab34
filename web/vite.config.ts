import { defineConfig } from "vite";
import { threeWithoutUnused } from "./tools/three";

// Built into the Python package; the server gives the page its content security policy, so nothing is inlined.
export default defineConfig({
  base: "./",
  plugins: [threeWithoutUnused()],
  build: {
    outDir: "../src/motionbase/console/static",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: "es2022",
    chunkSizeWarningLimit: 900,
  },
});
