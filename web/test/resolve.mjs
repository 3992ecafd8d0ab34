/** Lets node find the page's modules, which are imported without their extension, and leaves out their styles. */
import { registerHooks } from "node:module";

registerHooks({
  resolve(name, context, next) {
    const isOurs = name.startsWith(".") && context.parentURL?.endsWith(".ts") && !/\.(ts|css|mjs)$/.test(name);
    return next(isOurs ? `${name}.ts` : name, context);
  },
});
