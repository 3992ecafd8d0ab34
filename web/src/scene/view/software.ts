/** What draws: whether there is WebGL at all, and whether a processor has to do a graphics card's work. */

export type Graphics = "none" | "software" | "hardware";

const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render/i;

/** Asked of a context that is thrown away: antialiasing has to be decided before the real one is made. */
export function graphics(): Graphics {
  const gl = document.createElement("canvas").getContext("webgl2");
  if (!gl) return "none";
  const names = gl.getExtension("WEBGL_debug_renderer_info");
  const renderer = String(gl.getParameter(names ? names.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
  gl.getExtension("WEBGL_lose_context")?.loseContext();
  return SOFTWARE.test(renderer) ? "software" : "hardware";
}
