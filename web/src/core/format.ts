/** Numbers and times for people. */

import { utcText } from "./times";

const MISSING = "–";
const SMALL = 1e-4; // below, a power of ten is easier to read than zeros

/** A setting or a limit: at most four digits, no trailing zeros. Values that change all the time are written by `Forms`. */
export function number(value: number | null | undefined, digits = 4): string {
  if (value === null || value === undefined || Number.isNaN(value)) return MISSING;
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const short = Number(value.toPrecision(digits));
  return (value !== 0 && Math.abs(value) < SMALL ? short.toExponential() : String(short)).replace(/-/g, "−");
}

/** Seconds as 12.345 s, 3:05.2 or 1:02:03. */
export function duration(seconds: number): string {
  if (!Number.isFinite(seconds)) return MISSING;
  const sign = seconds < 0 ? "−" : "";
  const s = Math.abs(seconds);
  if (s < 60) return `${sign}${s.toFixed(s < 10 ? 3 : 2)} s`;
  const minutes = Math.floor(s / 60) % 60;
  const hours = Math.floor(s / 3600);
  const rest = s % 60;
  if (hours === 0) return `${sign}${minutes}:${rest.toFixed(1).padStart(4, "0")}`;
  return `${sign}${hours}:${String(minutes).padStart(2, "0")}:${String(Math.floor(rest)).padStart(2, "0")}`;
}

export function bytes(count: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  const power = count > 0 ? Math.min(4, Math.floor(Math.log10(count) / 3)) : 0;
  return `${(count / 1000 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power]}`;
}

/** Time of day for a sentence: 14:03:27 UTC, in every time zone. */
export function clock(utc: number): string {
  return `${utcText(utc, 1)} UTC`;
}
