// Made by scripts/console_types.py from src/motionbase/record: change that.

export const DOFS = ["surge", "sway", "heave", "roll", "pitch", "yaw"] as const;
export const LINEAR = ["surge", "sway", "heave"] as const;
export const ANGULAR = ["roll", "pitch", "yaw"] as const;
export const LEGS = [1, 2, 3, 4, 5, 6] as const;
export const STATES = ["off", "down", "rising", "standby", "engaging", "drive", "settling", "lowering", "freeze", "abort", "held", "stopping"] as const;
export const RESTING = ["off", "down", "held"] as const;
export const MOVING = ["rising", "standby", "engaging", "drive", "settling", "lowering", "freeze"] as const;
export const CUED_AXES = ["f_x", "f_y", "f_z", "omega_x", "omega_y", "omega_z"] as const;
export const CUED_ROWS = ["demand", "cue", "felt_vehicle", "felt_cue"] as const;
export const LINK = ["frames", "lost", "late", "duplicate", "malformed", "foreign"] as const;
export const STEERING_KEYS = ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "KeyW", "KeyS", "KeyA", "KeyD", "KeyQ", "KeyE", "KeyR", "KeyF", "KeyG", "KeyB", "KeyV", "KeyC", "Space", "ShiftLeft", "PageUp", "PageDown"] as const;
export const CALMING = ["freeze", "abort", "settle", "lower"] as const;
export const RIG_ACTIONS = ["enable", "home", "disable"] as const;
export const LEG_STATES = ["off", "starting", "unhomed", "homing", "ready", "following", "stopping", "fault"] as const;
export const SHAPES = ["sine", "square", "triangle", "sawtooth", "step", "ramp", "chirp", "multisine", "random"] as const;
export const PERIODIC = ["sine", "square", "triangle", "sawtooth"] as const;
export const BANDS = ["multisine", "random"] as const;
export const RIG_FAULTS: Readonly<Record<string, string>> = {"emergency stop": "somebody asked for a stop", "silent law": "demands of the control law have ceased", "silent leg": "a drive or a sensor does not answer", "stale": "the newest measurement is too old", "demand": "the demand is no number, outside the range, or jumps", "sensor": "a reading is outside what the sensor can give", "following error": "the leg is too far from its demand", "limit switch": "the leg has met a limit switch", "overload": "too much current or pressure", "temperature": "motor, drive or oil is too hot", "supply": "too little voltage, oil or pressure", "homing": "the reference was not found", "device": "a fault of the device's own"};
export type State = (typeof STATES)[number];
export type LegState = (typeof LEG_STATES)[number];

export const COUNT = 7; // generators
/** A generator's numbers; the bounds of amplitude and offset are those of legs and linear axes. */
export const NUMBERS = {
  amplitude: { low: -5.0, high: 5.0, isWhole: false, hint: "half the peak-to-peak height of a wave" },
  frequency: { low: 0, high: 50.0, isWhole: false, hint: "for chirp, multisine and random: lower end of the band" },
  end_frequency: { low: 0, high: 50.0, isWhole: false, hint: "upper end of the band" },
  phase: { low: -6.283185307179586, high: 6.283185307179586, isWhole: false, hint: "phase of the wave at its start" },
  offset: { low: -5.0, high: 5.0, isWhole: false, hint: "added, and faded with the rest" },
  fade_in: { low: 0, high: 600, isWhole: false, hint: "smooth in position, velocity and acceleration" },
  fade_out: { low: 0, high: 600, isWhole: false, hint: "after the last cycle, or when the drive ends" },
  start: { low: 0, high: 86400, isWhole: false, hint: "after the transition to drive" },
  cycles: { low: 0, high: 1000000.0, isWhole: false, hint: "then it fades out; 0 runs until it is stopped" },
  duration: { low: 0, high: 3600, isWhole: false, hint: "of a sweep or of a ramp's rise; otherwise the length of one cycle" },
  tones: { low: 0, high: 32, isWhole: true, hint: "number of sines in the band of multisine and random" },
  seed: { low: 0, high: 4294967295, isWhole: true, hint: "the same seed gives the same random signal" },
} as const;
/** The bounds of both on angular axes [rad]. */
export const TURNED = { low: -3.141592653589793, high: 3.141592653589793, isWhole: false } as const;
export const POSES = "bodies"; // the group of a model's channels with the poses of its bodies
export const SETTINGS = "settings"; // the group of a rotor's channels with what acts on it
