/** Which parameters of a rotor are its controls and which its flight, and in what units people read them. */

import type { ModelRotor, Parameter } from "../../net/types";

export interface Setting {
  readonly parameter: Parameter;
  /** What people call it: "collective" of "collective", in words. */
  readonly name: string;
  /** Shown over sent: degrees over radians. */
  readonly factor: number;
  readonly unit: string;
  readonly decimals: number;
}

const DEGREES = 180 / Math.PI;
const FIGURES = 4; // of the range of a setting

export function settingsOf(parameters: readonly Parameter[], names: readonly string[]): Setting[] {
  const known = new Map(parameters.map((one) => [one.name, one]));
  return names.flatMap((name) => {
    const parameter = known.get(name);
    return parameter ? [settingOf(parameter)] : [];
  });
}

function settingOf(parameter: Parameter): Setting {
  const isAngle = parameter.unit === "rad";
  const factor = isAngle ? DEGREES : 1;
  const range = factor * ((parameter.most[0] ?? 0) - (parameter.least[0] ?? 0));
  const decimals = Math.min(6, Math.max(0, FIGURES - Math.ceil(Math.log10(Math.max(range, 1e-9)))));
  const unit = isAngle ? "°" : parameter.unit.replace(/^-$/, "");
  return { parameter, name: parameter.name.replaceAll("_", " "), factor, unit, decimals };
}

/** A rotor's settings that are not there are left out; what no list names is flight. */
export function dividedOf(parameters: readonly Parameter[], rotor: ModelRotor | null): { controls: Setting[]; flight: Setting[] } {
  const controls = settingsOf(parameters, rotor?.controls ?? []);
  const taken = new Set(controls.map(({ parameter }) => parameter.name));
  const others = parameters.filter(({ name }) => !taken.has(name)).map(({ name }) => name);
  return { controls, flight: settingsOf(parameters, rotor ? rotor.flight : others) };
}
