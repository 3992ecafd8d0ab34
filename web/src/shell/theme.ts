/** Dark, light, or as the system has it; kept in this browser, not in layouts that others load. */

import { computed, effect, signal, type Signal } from "../core/signal";

export type Theme = "system" | "dark" | "light";

const KEY = "motionbase.theme";
const ORDER: readonly Theme[] = ["system", "dark", "light"];

export interface Themes {
  chosen: Signal<Theme>;
  /** The next of the three. */
  turn(): void;
}

export function themes(): Themes {
  const kept = localStorage.getItem(KEY);
  const chosen = signal<Theme>(kept === "dark" || kept === "light" ? kept : "system");
  const query = matchMedia("(prefers-color-scheme: light)");
  const prefersLight = signal(query.matches);
  query.addEventListener("change", () => prefersLight.set(query.matches));
  const shown = computed(() => (chosen() === "system" ? (prefersLight() ? "light" : "dark") : chosen()));
  effect(() => {
    document.documentElement.dataset["theme"] = shown();
  });
  const turn = (): void => {
    chosen.set(ORDER[(ORDER.indexOf(chosen.peek()) + 1) % ORDER.length] ?? "system");
    localStorage.setItem(KEY, chosen.peek());
  };
  return { chosen, turn };
}
