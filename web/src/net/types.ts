// Made by scripts/console_types.py from src/motionbase/console/models: change that.

/** `version`: the one that the operator saw; refused if another has been written since. `exceeds`: what of `Exceeded` of the limits that the operator knows to be exceeded; refused where there are others. */
export interface Apply {
  cards: CardSet;
  version: number;
  exceeds: string[];
}

/** One function generator; numbers as in docs/generators.md. */
export interface Card {
  enabled: boolean;
  space: "leg" | "dof";
  axes: (number | string)[];
  shape: "sine" | "square" | "triangle" | "sawtooth" | "step" | "ramp" | "chirp" | "multisine" | "random";
  amplitude: number;
  frequency: number;
  end_frequency: number;
  phase: number;
  offset: number;
  fade_in: number;
  fade_out: number;
  start: number;
  cycles: number;
  duration: number;
  tones: number;
  seed: number;
}

/** Seven cards at most, with a name for people. */
export interface CardSet {
  name: string;
  cards: Card[];
}

/** A limit that would be exceeded: of what, the largest value, the limit, and when first [s]. */
export interface Exceeded {
  what: string;
  value: number;
  limit: number;
  unit: string;
  t: number;
}

/** The block of the ring, and whether it may be written now. `version`: of what is armed in the block; `exceeded`: the limits that this exceeds, None while nobody can tell, and `judged` says for how long it was looked at, or why not. `running_version`: of what the control law took at its last transition to drive, None where the ring has no such channel; `last_run`: its cards, None where nothing has run or the console never saw them. */
export interface Generators {
  armed: CardSet;
  version: number;
  author: string;
  written_utc: number | null;
  exceeded: Exceeded[] | null;
  judged: string;
  running_version: number | null;
  last_run: CardSet | null;
  allowed: boolean;
  why_not: string;
}

/** Of the platform: largest excursion from neutral, velocity, acceleration by axis, and of the legs [m, m/s]. */
export interface Limits {
  position: number[];
  velocity: number[];
  acceleration: number[];
  l_min: number;
  l_max: number;
  leg_velocity: number;
}

/** `dofs`: (6, 3, n) position, velocity, acceleration of the sums; `legs`: (6, n) lengths [m] about neutral. */
export interface Preview {
  t: number[];
  dofs: number[][][];
  legs: ((number | null)[])[];
  limits: Limits | null;
  exceeded: Exceeded[];
  text: string;
}

/** What the cards would do in so many seconds. */
export interface PreviewRequest {
  cards: CardSet;
  seconds: number;
}

/** What the extremes ask of one joint of one leg [rad], and at which of them. */
export interface AngleRange {
  joint: string;
  leg: number;
  least: number;
  most: number;
  at_least: number;
  at_most: number;
}

/** Six degrees of freedom from neutral [m, rad], or six leg lengths [m]. */
export interface AskPose {
  dof: number[] | null;
  legs: number[] | null;
}

/** Sent as text to every page, of the measured pose: the nearest pair, and whether the alarm is raised. `least` [m] is null where parts interfere, and where nothing is known: then `verdict` is null too. */
export interface ClearanceAlarm {
  kind: "clearance";
  source: "live" | "replay";
  generation: number;
  t: number | null;
  verdict: "clear" | "warn" | "stop" | "interference" | null;
  least: number | null;
  first: string;
  second: string;
  is_alarm: boolean;
  thresholds: ClearanceThresholds;
  text: string;
}

/** Clearances [m] below which it is coloured, and below which an alarm is raised. */
export interface ClearanceThresholds {
  warn: number;
  stop: number;
}

/** One of the 64: bit k of `number` is set where leg k + 1 is out. */
export interface Extreme {
  number: number;
  name: string;
  posture: Posture;
}

/** At all combinations of legs fully in and out that have a pose; `missing` are numbers of those that have none. */
export interface Extremes {
  platform: string;
  extremes: Extreme[];
  missing: number[];
  requirements: AngleRange[];
  worst: WorstGap[];
  clearance_text: string;
}

/** Sent as text to pages that watch: of the newest record, at most five times a second. `state`: preparing while kernels are compiled, none where `text` says why there is nothing. */
export interface Kinematics {
  kind: "kinematics";
  source: "live" | "replay";
  generation: number;
  pose: "measured" | "estimated" | "command" | "host";
  t: number | null;
  state: "ready" | "preparing" | "none";
  text: string;
  found: Posture | null;
}

/** One leg: `l` [m], `share` of the operational stroke; angles [rad], of bearings and rod from neutral. */
export interface LegPosture {
  l: number;
  share: number;
  base: [number, number];
  platform: [number, number];
  rotation: number;
  elevation: number;
  azimuth: number;
}

/** Between two parts: distance [m], null where they interfere; nearest points in W [m]. */
export interface PartGap {
  first: string;
  second: string;
  distance: number | null;
  points: number[][];
  verdict: "clear" | "warn" | "stop" | "interference";
}

/** At one pose: `dof` from neutral [m, rad]; the nearest pairs of parts, none where `clearance_text` says why. `bearings`: how far the first and second bearing turn, at base and platform [rad]; null where that is not known. `text`: why the pose cannot be reached, "" where it can. */
export interface Posture {
  dof: number[];
  legs: LegPosture[];
  bearings: ((number | null)[])[];
  dexterity: number;
  gaps: PartGap[];
  verdict: "clear" | "warn" | "stop" | "interference" | null;
  text: string;
  clearance_text: string;
}

/** A pair of parts where it is nearest over the extremes; distance [m], null where they interfere. */
export interface WorstGap {
  first: string;
  second: string;
  distance: number | null;
  verdict: "clear" | "warn" | "stop" | "interference";
  at: number;
}

/** What became of a request. */
export interface Answer {
  accepted: boolean;
  text: string;
}

/** As `motionbase record-control`. */
export interface AskRecorder {
  do: "start" | "stop" | "split" | "note";
  text: string;
}

/** An action of `motionbase operate`; an emergency stop has its own address. `seen` is not looked at for what calms a base (freeze, abort, settle, lower), and needed for all else. */
export interface Operate {
  seen: Seen | null;
  action: "down" | "standby" | "drive" | "settle" | "lower" | "off" | "freeze" | "abort" | "reset" | "host" | "maintenance";
}

/** One of the control law, see `motionbase tune`. */
export interface Parameter {
  name: string;
  unit: string;
  description: string;
  value: number[];
  goal: number[];
  designed: number[];
  least: number[];
  most: number[];
  tunable: boolean;
  at_rest: boolean;
}

/** All of them. */
export interface Parameters {
  law: string;
  version: number;
  parameters: Parameter[];
}

/** The newest record that the page had shown when the operator asked, so that nothing stale is carried out. `t`: its time stamp [s]; `state`, `mode`: the schema's words, "" where it has none; `generators_version`: of what was armed as the page showed it, None where it showed none. */
export interface Seen {
  t: number;
  state: string;
  mode: string;
  generators_version: number | null;
}

/** A strip chart of the live ring. */
export interface StartStrip {
  channels: StripChannel[];
  format: "pdf" | "png";
  seconds_per_page: number;
  name: string;
}

/** A pen: which channel, and the range of its lane; None takes what comes. */
export interface StripChannel {
  name: string;
  low: number | null;
  high: number | null;
  colour: string | null;
}

/** New numbers by name; an empty list sets the designed ones. */
export interface Tune {
  values: Record<string, number[]>;
}

/** What to take of a recording, and into what; without legs, groups and channels it is all of them. `pdf` is a strip chart of 16 channels at most, with so many seconds on a page. */
export interface Export {
  file: string;
  format: "mcap" | "csv" | "parquet" | "pdf";
  legs: number[];
  groups: string[];
  channels: string[];
  start: number | null;
  stop: number | null;
  piece_records: number | null;
  piece_seconds: number | null;
  seconds_per_page: number;
  name: string;
}

/** Beside the records; as `Event` has them. */
export interface RecordingEvent {
  t: number;
  kind: string;
  text: string;
  tick: number | null;
  person: string;
  is_bad: boolean;
}

/** A file of the recordings folder; `file` names it in all other requests. */
export interface RecordingFile {
  file: string;
  bytes: number;
  modified_utc: number;
  format: "mcap" | "csv" | "parquet" | "estop";
  is_written: boolean;
}

/** As `motionbase info`. Times [s] since the recording's epoch. `derived`: channels by formula that operators made and that can be computed of it. `damage_at`: from and to of each damage, the records beside it where some are missing, None where it concerns the file as a whole. `events`: as the file has them; `/api/recordings/events` has all. */
export interface RecordingInfo {
  file: string;
  recording_schema: Schema;
  derived: Channel[];
  records: number;
  start: number;
  end: number;
  rate_hz: number;
  epoch_utc: number | null;
  platform: string;
  events: RecordingEvent[];
  damage: string[];
  damage_at: ([number, number] | null)[];
  about: Record<string, string>;
}

/** As `motionbase replay-control`. */
export interface ReplayControl {
  source: "live" | "replay";
  action: "play" | "pause" | "rewind" | "step" | "seek" | "speed" | "loop" | "loop-off" | "stop";
  values: number[];
}

/** Play a file of the recordings folder into the replay ring. */
export interface StartReplay {
  file: string;
  paused: boolean;
}

/** An address at which a browser may fetch one file within a minute, without a token. */
export interface Ticket {
  address: string;
}

/** A limit of a channel of the live ring: `value` is the worst at `t` [s], in the channel's own unit. */
export interface AlarmChange {
  channel: string;
  change: "raised" | "acknowledged" | "over";
  level: "warn" | "alarm";
  value: number;
  limit: number;
  t: number;
}

/** Of the live base while no records come: it starts, or has ended. `text`: a sentence; `platform`: of a base that starts, "" where nobody has said yet; `utc`: since when [s]. `may_start`: whether `motionbase run` waits to be asked to start it again. */
export interface BaseLife {
  doing: "starting" | "ended";
  platform: string;
  text: string;
  utc: number | null;
  may_start: boolean;
}

/** Of a schema; `place` is what the WebSocket asks by. */
export interface Channel {
  place: number;
  name: string;
  unit: string;
  description: string;
  group: string;
  leg: number | null;
  dof: string | null;
  codes: string[] | null;
  bits: string[] | null;
  formula: string | null;
}

/** A channel by formula: names of channels, numbers, + - * / ** and the functions of docs/console.md. `unit`: "" for the one that the formula gives. */
export interface Derive {
  name: string;
  formula: string;
  unit: string;
}

/** Something that happened: a change of state, a request, a fault, a note, a gap. `t`: [s] of the ring, None if it has none; `tick`: of the control law then; `person`: who did it, "" where nobody did. */
export interface Event {
  kind: "event";
  number: number;
  source: "live" | "replay";
  generation: number;
  t: number | null;
  tick: number | null;
  utc: number;
  what: "state" | "mode" | "fault" | "warning" | "estop" | "request" | "seat" | "tuning" | "generators" | "alarm" | "note" | "gap" | "writer" | "recorder";
  text: string;
  person: string;
  is_bad: boolean;
}

/** The host's demand against the limits. `exceeded`: sentences, empty where all is within them. */
export interface HostDemand {
  age_s: number | null;
  frames: number;
  lost: number;
  exceeded: string[];
}

/** A ring as its reader sees it. `state`: live, waiting, lost or none, of the writer; `state_text` is the reader's own words. `generation` changes whenever what was drawn before does not belong to what comes: another writer, another schema, time that ran back. `platform` is empty where the ring has none; a scene is worth asking for when it is not, once a generation. `estop_by`: who asked for the stop that acts, None while none acts or nobody is known. `base_state`, `base_mode`, `base_fault`: the schema's words of the newest record, None where it has none; no fault begins with "none". `t`: time stamp [s] of that record. `life`: what becomes of the base while no records come, None where nobody knows. `behind_s`: how much older [s] than the ring's newest record the newest one is that the console has read. */
export interface Ring {
  source: "live" | "replay";
  name: string;
  backend: string;
  is_hardware: boolean;
  state: "live" | "waiting" | "lost" | "none";
  state_text: string;
  behind_s: number;
  generation: number;
  writer: string;
  writer_pid: number;
  platform: string;
  schema_name: string;
  schema_hash: string;
  channels: number;
  rate_hz: number;
  dt: number;
  epoch_utc: number;
  takes_commands: boolean;
  has_parameters: boolean;
  estop_acts: boolean;
  estop_by: string | null;
  t: number | null;
  life: BaseLife | null;
  base_state: string | null;
  base_mode: string | null;
  base_fault: string | null;
  timing: Timing | null;
  host: HostDemand | null;
}

/** The channels of a ring or recording, derived ones at the end. */
export interface Schema {
  name: string;
  hash: string;
  channels: Channel[];
}

/** Health of the last second: records per second, largest lateness [s], overruns, largest load, records lost. */
export interface Timing {
  rate_hz: number;
  late_max_s: number | null;
  overruns: number | null;
  load_max: number | null;
  lost: number;
}

/** What the page shows, by name; the page alone knows what it means. */
export interface Layout {
  name: string;
  body: Record<string, unknown>;
}

/** A user's own picture of a part; `number` names it in /api/mesh/NUMBER. */
export interface Mesh {
  number: number;
  format: "glb" | "stl";
  part: "base" | "platform" | "cylinder" | "rod";
  scale: number;
  colour: string;
}

/** The platform to scale. Places [m]: base joints in W, platform joints in P; P at neutral is at `p_neutral`. */
export interface Scene {
  name: string;
  summary: string;
  illustrative: string[];
  base: number[][];
  joints: number[][];
  p_neutral: number[];
  l_min: number;
  l_max: number;
  hard_min: number;
  hard_max: number;
  l_down: number;
  cylinder_radius: number;
  rod_radius: number;
  points: Record<string, number[]>;
  limits: Limits;
  meshes: Mesh[];
  sphere: SphereShape | null;
}

/** A sphere that turns on wheels over the platform: centre in P [m], radius [m], places within it by name [m]. */
export interface SphereShape {
  centre: number[];
  radius: number;
  wheels: SphereWheel[];
  points: Record<string, number[]>;
}

/** A wheel at the sphere: unit vectors from the sphere's centre to its contact and along its axle, in P. */
export interface SphereWheel {
  outward: number[];
  axle: number[];
  radius: number;
  is_driven: boolean;
}

/** Something that takes a while. `client`: the page that began it, which may cancel it. */
export interface Job {
  number: number;
  client: string;
  what: string;
  state: "running" | "done" | "failed" | "cancelled";
  share: number;
  text: string;
  files: string[];
}

/** Of the live ring; `incident` is what somebody did to a file while it was written. */
export interface Recorder {
  state: string;
  file: string;
  bytes: number;
  files: number;
  records: number;
  lost: number;
  gaps: number;
  trouble: string;
  incident: string;
}

/** A recording that is played into a ring; times are [s] since the recording's epoch. */
export interface Replay {
  source: "live" | "replay";
  file: string;
  state: "playing" | "paused" | "ended";
  record: number;
  records: number;
  time: number;
  begin: number;
  end: number;
  speed: number;
  period: number | null;
  loop: [number, number] | null;
  damage: string[];
}

/** Sent as text every half second, and at once when something changed. */
export interface Status {
  kind: "status";
  version: string;
  utc: number;
  sources: Ring[];
  seat: Seat | null;
  viewers: number;
  recorder: Recorder | null;
  replay: Replay | null;
  strip: Strip | null;
  jobs: Job[];
}

/** A strip chart drawn by a process of its own. */
export interface Strip {
  state: "drawing" | "ended" | "failed";
  out: string;
  channels: string[];
  pages: number;
  text: string;
}

/** The role of who asks. `seated`: holds the operator's seat, so that what changes state is taken from here. `waiting`: place in the queue for the seat, 1 for who is next; None for who does not wait. `may_stop`: whether the emergency stop is taken from it: with the operator token, or from all that may look. `stop_port`: where the stop post listens, at the console's own address; None where there is none. */
export interface Me {
  role: "viewer" | "operator";
  client: string;
  seated: boolean;
  waiting: number | null;
  may_stop: boolean;
  stop_port: number | null;
}

/** Who operates; one at a time. `away`: its page has lost its connection, and keeps the seat for 30 s; `waiting`: names of who is next, in order. */
export interface Seat {
  client: string;
  name: string;
  since_utc: number;
  away: boolean;
  waiting: string[];
}

/** `force` takes it from `from_client`, the one whom the page named, and from nobody else; both are told. `wait` gets into the queue where somebody has it, instead of being refused. */
export interface TakeSeat {
  name: string;
  force: boolean;
  from_client: string | null;
  wait: boolean;
}
