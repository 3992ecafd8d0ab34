import { defineConfig } from "vite";

// Built into the Python package; the server gives the page its content security policy, so nothing is inlined.
export default defineConfig({
  base: "./",
  build: {
    outDir: "../src/motionbase/console/static",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: "es2022",
    chunkSizeWarningLimit: 900,
  },
});
