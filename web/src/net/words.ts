// Made by scripts/console_types.py from src/motionbase/record: change that.

export const DOFS = ["surge", "sway", "heave", "roll", "pitch", "yaw"] as const;
export const LINEAR = ["surge", "sway", "heave"] as const;
export const ANGULAR = ["roll", "pitch", "yaw"] as const;
export const LEGS = [1, 2, 3, 4, 5, 6] as const;
export const STATES = ["off", "down", "rising", "standby", "engaging", "drive", "settling", "lowering", "freeze", "abort", "held", "stopping"] as const;
export const RESTING = ["off", "down", "held"] as const;
export const MOVING = ["rising", "standby", "engaging", "drive", "settling", "lowering", "freeze"] as const;
export const CALMING = ["freeze", "abort", "settle", "lower"] as const;
export const SHAPES = ["sine", "square", "triangle", "sawtooth", "step", "ramp", "chirp", "multisine", "random"] as const;
export const PERIODIC = ["sine", "square", "triangle", "sawtooth"] as const;
export const BANDS = ["multisine", "random"] as const;
export type State = (typeof STATES)[number];

export const COUNT = 7; // generators
/** A generator's numbers; the bounds of amplitude and offset are those of legs and linear axes. */
export const NUMBERS = {
  amplitude: { low: -5.0, high: 5.0, isWhole: false, hint: "half of the way from peak to peak of a wave" },
  frequency: { low: 0, high: 50.0, isWhole: false, hint: "of chirp, multisine and random the first of the band" },
  end_frequency: { low: 0, high: 50.0, isWhole: false, hint: "the last of the band" },
  phase: { low: -6.283185307179586, high: 6.283185307179586, isWhole: false, hint: "of the wave at its start" },
  offset: { low: -5.0, high: 5.0, isWhole: false, hint: "added, and faded with the rest" },
  fade_in: { low: 0, high: 600, isWhole: false, hint: "smooth in position, velocity and acceleration" },
  fade_out: { low: 0, high: 600, isWhole: false, hint: "at the end of the cycles, or when the drive is told to stop" },
  start: { low: 0, high: 86400, isWhole: false, hint: "after the transition to drive" },
  cycles: { low: 0, high: 1000000.0, isWhole: false, hint: "then it fades out; 0: until it is stopped" },
  duration: { low: 0, high: 3600, isWhole: false, hint: "of a sweep or the rise of a ramp; else the length of one cycle" },
  tones: { low: 0, high: 32, isWhole: true, hint: "sines in the band of multisine and random" },
  seed: { low: 0, high: 4294967295, isWhole: true, hint: "the same seed makes the same random signal" },
} as const;
/** The bounds of both on angular axes [rad]. */
export const TURNED = { low: -3.141592653589793, high: 3.141592653589793, isWhole: false } as const;
