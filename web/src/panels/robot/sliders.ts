/** Sliders of joints and of friction, with marks where they are. */

import type { App } from "../../app";
import type { Parameter } from "../../net/types";
import { slider, type Slider } from "./slider";
import { sentOf, shownOf, type SetPoint } from "./settings";

const ANGLE_DECIMALS = 2;
const LENGTH_DECIMALS = 4;
const SCALE_DECIMALS = 2;

export interface Followed {
  element: HTMLElement;
  /** Show the newest: what was asked for, and what is. */
  follow(parameters: ReadonlyMap<string, Parameter>, whyNot: string): void;
}

/** @param change takes what is sent [rad, m] */
export function jointSlider(app: App, { joint, channel, parameter, isAngle }: SetPoint, change: (value: number) => void): Followed {
  const [least, most] = [parameter.least[0] ?? 0, parameter.most[0] ?? 0];
  const scale = {
    least: shownOf(least, isAngle), most: shownOf(most, isAngle), designed: shownOf(parameter.designed[0] ?? 0, isAngle),
    unit: isAngle ? "°" : "m", decimals: isAngle ? ANGLE_DECIMALS : LENGTH_DECIMALS,
  }; // prettier-ignore
  const made = slider(joint, channel, scale, (shown) => change(sentOf(shown, isAngle, least, most)));
  const isOf = (): number => (app.session.source.peek() === "live" ? shownOf(app.value(channel), isAngle) : NaN);
  return followed(made, (parameters) => shownOf(parameters.get(parameter.name)?.goal[0] ?? NaN, isAngle), isOf);
}

export function frictionSlider(app: App, parameter: Parameter, change: (value: number) => void): Followed {
  const [least = 0, most = 0, designed = 0] = [parameter.least[0], parameter.most[0], parameter.designed[0]];
  const made = slider("friction", "friction", { least, most, designed, unit: "×", decimals: SCALE_DECIMALS }, change);
  const isOf = (): number => (app.session.source.peek() === "live" ? app.value("friction_scale") : NaN);
  return followed(made, (parameters) => parameters.get(parameter.name)?.goal[0] ?? NaN, isOf);
}

function followed(made: Slider, goal: (parameters: ReadonlyMap<string, Parameter>) => number, now: () => number): Followed {
  return { element: made.element, follow: (parameters, whyNot) => made.show(goal(parameters), now(), whyNot) };
}
