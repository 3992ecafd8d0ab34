/** Colours of the picture, out of the page's tokens. */

import { Color, ColorManagement, LinearSRGBColorSpace, NoColorSpace, SRGBColorSpace, type WebGLRenderer } from "three";
import type { Level } from "../kinematics";

export interface Theme {
  isDark: boolean;
  background: Color;
  floor: Color;
  grid: Color;
  text: string;
  /** Of the frames that carry. */
  frame: Color;
  dark: Color;
  steel: Color;
  body: Color;
  glass: Color;
  accent: Color;
  ghost: Color;
  trail: Color;
  /** Of an axis that something turns about. */
  axis: Color;
  levels: Record<Level, Color>;
}

/**
 * Light adds up in linear numbers, and a picture is stored in others. Where a processor draws, the three powers that
 * this takes for every pixel cost more than the light itself: there colours are taken as they are written.
 */
export function setColourSpace(renderer: WebGLRenderer, isLinear: boolean): void {
  ColorManagement.enabled = isLinear;
  renderer.outputColorSpace = isLinear ? SRGBColorSpace : LinearSRGBColorSpace;
}

export function textureSpace(): string {
  return ColorManagement.enabled ? SRGBColorSpace : NoColorSpace;
}

export function theme(): Theme {
  const style = getComputedStyle(document.documentElement);
  const token = (name: string): Color => new Color(style.getPropertyValue(name).trim() || "#888888");
  const background = token("--bg");
  const isDark = background.getHSL({ h: 0, s: 0, l: 0 }).l < 0.5;
  const mixed = (from: Color, to: Color, share: number): Color => from.clone().lerp(to, share);
  const accent = token("--accent");
  return {
    isDark,
    background,
    floor: isDark ? mixed(background, token("--line"), 0.9) : new Color("#ffffff"),
    grid: isDark ? mixed(token("--line"), token("--text-3"), 0.45) : mixed(token("--line"), token("--text-3"), 0.2),
    text: style.getPropertyValue("--text-2").trim() || "#888888",
    frame: new Color(isDark ? "#5d6b79" : "#5f6d7b"),
    dark: new Color(isDark ? "#2b343e" : "#38434e"),
    steel: new Color("#d5dce3"),
    body: new Color(isDark ? "#d9dfe5" : "#f2f4f6"),
    glass: new Color("#18222d"),
    accent,
    ghost: accent,
    trail: token("--trace-2"),
    axis: token("--trace-4"),
    levels: {
      free: new Color(isDark ? "#3f8fd8" : "#2f7fcb"),
      near: new Color(isDark ? "#f0a91f" : "#e59a0c"),
      end: new Color(isDark ? "#f2464e" : "#d92f38"),
      unknown: token("--text-3"),
    },
  };
}

/** Told whenever the page is switched between dark and light. */
export function onTheme(changed: () => void): () => void {
  const watch = new MutationObserver(changed);
  watch.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
  return () => watch.disconnect();
}
