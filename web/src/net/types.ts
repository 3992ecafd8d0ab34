// Made by scripts/console_types.py from src/motionbase/console/models: change that.

/** What can be compared. `in_use`: whether the live base has parameters of cueing, which can be tried as well. */
export interface CueingChoices {
  sets: CueingSet[];
  algorithms: string[];
  in_use: boolean;
  most_s: number;
}

/** What a side comes to. Perceived errors are in thresholds of perception: root mean square of all axes and of each, and the largest. `error_share`: of the error of a platform that stands still. `stroke_left` [m]: negative beyond the legs' strokes; `stroke_used`: largest share of its stroke that a leg goes through; `leg_speed` [m/s]: of the fastest leg. None stands for what is no number, of a vehicle that told nonsense. */
export interface CueingFigures {
  error: number | null;
  error_share: number | null;
  error_most: number | null;
  axes: (number | null)[];
  stroke_left: number | null;
  stroke_used: number | null;
  leg_speed: number | null;
}

/** A set of parameters; `name` identifies it. */
export interface CueingSet {
  name: string;
  summary: string;
}

/** The live base's parameters of cueing, as they are tuned now, as a file of a set. */
export interface CueingSetText {
  name: string;
  text: string;
}

/** A set and the algorithm that uses it. The set "in use" is that of the live base as it is tuned now. `text`: of a set's file, which is used then; `set` is its name for people. */
export interface CueingSide {
  set: string;
  algorithm: string;
  text: string;
}

/** A comparison that is done; `channels` are those of its windows, time first. */
export interface CueingTrial {
  number: number;
  what: string;
  platform: string;
  start: number;
  end: number;
  channels: Schema;
  sides: [CueingSide, CueingSide];
  figures: [CueingFigures, CueingFigures];
}

/** Two sides on the vehicle's motion in a recording, from one time to another [s]. Without a file the last `seconds` of the live base are used. */
export interface TryCueing {
  file: string | null;
  start: number | null;
  stop: number | null;
  seconds: number;
  a: CueingSide;
  b: CueingSide;
}

/** Request to arm cards. `version`: the one that the operator saw; refused if another has been written since. `exceeds`: `what` of each exceeded limit that the operator has accepted; refused if there are others. */
export interface Apply {
  cards: CardSet;
  version: number;
  exceeds: string[];
}

/** One function generator; docs/generators.md describes its settings. */
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

/** Up to seven cards, with a name. */
export interface CardSet {
  name: string;
  cards: Card[];
}

/** A limit that would be exceeded: its quantity, the largest value, the limit, and the first time [s]. */
export interface Exceeded {
  what: string;
  value: number;
  limit: number;
  unit: string;
  t: number;
}

/** The generators of the ring, and whether they may be changed now. `version`: of the armed set; `exceeded`: limits that it exceeds, None if unknown; `judged`: the time judged, or why it was not. `running_version`: of the set that the control law read at its last transition to drive, None if the ring has no such channel; `last_run`: its cards, None if nothing has run or the console never read them. */
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

/** Limits of the platform: excursion from neutral, velocity, acceleration by axis, and of the legs [m, m/s]. */
export interface Limits {
  position: number[];
  velocity: number[];
  acceleration: number[];
  l_min: number;
  l_max: number;
  leg_velocity: number;
}

/** A preview. `dofs`: (6, 3, n) position, velocity, acceleration; `legs`: (6, n) lengths [m] about neutral. */
export interface Preview {
  t: number[];
  dofs: number[][][];
  legs: ((number | null)[])[];
  limits: Limits | null;
  exceeded: Exceeded[];
  text: string;
}

/** Request for a preview of cards over so many seconds. */
export interface PreviewRequest {
  cards: CardSet;
  seconds: number;
}

/** Range of one joint of one leg over the extremes [rad], and the extremes where it occurs. */
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

/** Sent as text to every page: the nearest pair at the measured pose, and whether the alarm is raised. `least` [m] is null if parts interfere, and if nothing is known: then `verdict` is null, too. */
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

/** Clearances [m] below which gaps are coloured (`warn`), and below which an alarm is raised (`stop`). */
export interface ClearanceThresholds {
  warn: number;
  stop: number;
}

/** One of the 64 extremes: bit k of `number` is set if leg k + 1 is out. */
export interface Extreme {
  number: number;
  name: string;
  posture: Posture;
}

/** All combinations of legs fully in and out that have a pose; `missing`: numbers of those without. */
export interface Extremes {
  platform: string;
  extremes: Extreme[];
  missing: number[];
  requirements: AngleRange[];
  worst: WorstGap[];
  clearance_text: string;
}

/** Sent as text to watching pages: kinematics of the newest record, at most five times a second. `state`: `preparing` while kernels are compiled, `none` if there are no kinematics, with the reason in `text`. */
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

/** Gap between two parts: distance [m], null if they interfere; nearest points in W [m]. */
export interface PartGap {
  first: string;
  second: string;
  distance: number | null;
  points: number[][];
  verdict: "clear" | "warn" | "stop" | "interference";
}

/** Posture at a pose: `dof` from neutral [m, rad]; the nearest pairs of parts, or the reason in `clearance_text`. `bearings`: angles of the first and second bearing, at base and platform [rad]; null if unknown. `text`: why the pose cannot be reached, "" if it can. */
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

/** The smallest gap of a pair of parts over the extremes; distance [m], null if they interfere. */
export interface WorstGap {
  first: string;
  second: string;
  distance: number | null;
  verdict: "clear" | "warn" | "stop" | "interference";
  at: number;
}

/** Answer to a request. */
export interface Answer {
  accepted: boolean;
  text: string;
}

/** A command to the recorder, as `motionbase record-control`. */
export interface AskRecorder {
  do: "start" | "stop" | "split" | "note";
  text: string;
}

/** An action of `motionbase operate`; an emergency stop has its own address. `seen` is ignored for actions that calm a base (freeze, abort, settle, lower), and required for all others. */
export interface Operate {
  seen: Seen | null;
  action: "down" | "standby" | "drive" | "settle" | "lower" | "off" | "freeze" | "abort" | "reset" | "host" | "maintenance" | "enable" | "home" | "disable";
}

/** A parameter of the control law, see `motionbase tune`. */
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

/** All parameters of the control law. */
export interface Parameters {
  law: string;
  version: number;
  parameters: Parameter[];
}

/** The newest record on the page when the operator made the request, so that nothing stale is carried out. `t`: its time stamp [s]; `state`, `mode`: the schema's words, "" if it has none; `generators_version`: of the armed set on the page, None if it showed none. */
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

/** A pen: its channel, and the range of its lane; None follows the records. */
export interface StripChannel {
  name: string;
  low: number | null;
  high: number | null;
  colour: string | null;
}

/** New values by name; an empty list restores the design values. */
export interface Tune {
  values: Record<string, number[]>;
}

/** Selection and format of an export; without legs, groups and channels it has all channels. `pdf` is a strip chart of up to 16 channels, with `seconds_per_page`. */
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

/** An event of a recording; the fields are those of `Event`. */
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

/** Description of a recording, as `motionbase info`. Times [s] since the recording's epoch. `derived`: stored derived channels that fit it. `damage_at`: start and end of each damage, or of the gap if records are missing, None if it concerns the whole file. `events`: those in the file; `/api/recordings/events` has all. */
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
  world: string;
  events: RecordingEvent[];
  damage: string[];
  damage_at: ([number, number] | null)[];
  about: Record<string, string>;
}

/** A command to a replay, as `motionbase replay-control`. */
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

/** An address from which a browser can download one file within a minute, without a token. */
export interface Ticket {
  address: string;
}

/** Alarm of a channel of the live ring: `value` is the worst, at `t` [s], in the channel's unit. */
export interface AlarmChange {
  channel: string;
  change: "raised" | "acknowledged" | "over";
  level: "warn" | "alarm";
  value: number;
  limit: number;
  t: number;
}

/** The live base while no records come: it is starting, or has ended. `text`: a sentence; `platform`: of a starting base, "" if not known yet; `utc`: since when [s]. `may_start`: whether `motionbase run` can restart it on request. */
export interface BaseLife {
  doing: "starting" | "ended";
  platform: string;
  text: string;
  utc: number | null;
  may_start: boolean;
}

/** A channel of a schema; `place` identifies it on the WebSocket. */
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

/** A channel by formula: names of channels, numbers, + - * / ** and the functions of docs/console.md. `unit`: "" for the unit that results from the formula. */
export interface Derive {
  name: string;
  formula: string;
  unit: string;
}

/** An event: a change of state, a request, a fault, a note, a gap. `t`: time of the ring [s], None if it has none; `tick`: of the control law; `person`: who caused it, "" if nobody. */
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

/** The host's demand and the limits. `exceeded`: sentences, empty if all limits are kept. */
export interface HostDemand {
  age_s: number | null;
  frames: number;
  lost: number;
  exceeded: string[];
}

/** A ring as its reader sees it. `state`: live, waiting, lost or none, of the writer; `state_text`: the same as a sentence. `generation` changes when earlier records do not belong to those that follow: another writer, another schema, time that went back. `platform` is empty if the ring has none; if it is not, a scene can be requested once per generation. `world`: name of the world in which its host's vehicle moves, empty if there is none. `estop_by`: who requested the active stop, None if none is active or the name is unknown. `base_state`, `base_mode`, `base_fault`: the schema's words in the newest record, None if it has none; "none..." means no fault. `t`: time stamp [s] of that record. `life`: state of the base while no records come, None if unknown. `behind_s`: how much older [s] the newest record read by the console is than that of the ring. */
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
  world: string;
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

/** Timing of the last second: records per second, largest lateness [s], overruns, largest load, records lost. */
export interface Timing {
  rate_hz: number;
  late_max_s: number | null;
  overruns: number | null;
  load_max: number | null;
  lost: number;
}

/** A layout of the page by name; its content is known only to the page. */
export interface Layout {
  name: string;
  body: Record<string, unknown>;
}

/** A user's mesh of a part; `number` identifies it in /api/mesh/NUMBER. */
export interface Mesh {
  number: number;
  format: "glb" | "stl";
  part: "base" | "platform" | "cylinder" | "rod";
  scale: number;
  colour: string;
}

/** A body; its pose in the world is in the channels CHANNEL_x, _y, _z [m] and CHANNEL_qw, _qx, _qy, _qz. */
export interface ModelBody {
  name: string;
  channel: string;
  shapes: ModelShape[];
}

/** What stands still, in the world. */
export interface ModelGround {
  shapes: ModelShape[];
}

/** A coordinate of a joint, or a joint without one: then `axis`, `channel` and `unit` are null. `p` [m] and `q`: the joint's frame in that of its parent; `axis`: in the joint's frame. */
export interface ModelJoint {
  name: string;
  type: string;
  parent: string;
  child: string;
  p: [number, number, number];
  q: [number, number, number, number];
  axis: [number, number, number] | null;
  channel: string | null;
  unit: "rad" | "m" | null;
}

/** A rod of `radius` [m] between points of two bodies, in their frames [m], or of one and the ground. */
export interface ModelRod {
  bodies: [string, string];
  points: [[number, number, number], [number, number, number]];
  radius: number;
}

/** That the model is a rotor: the body that turns with the shaft about its z, and what operators set. */
export interface ModelRotor {
  hub: string;
  summary: string;
  illustrative: string[];
  controls: string[];
  flight: string[];
}

/** The bodies and joints of a multibody model, to scale; the last body is the end of a chain. `limits`: least and largest value of coordinates [rad, m], by the names of `joints`; null where one end is open. */
export interface ModelScene {
  kind: "model";
  name: string;
  bodies: ModelBody[];
  joints: ModelJoint[];
  ground: ModelGround;
  limits: Record<string, [number | null, number | null]>;
  rods: ModelRod[];
  rotor: ModelRotor | null;
}

/** A solid at `p` [m], turned by `q` (w, x, y, z), in the frame of its body. `size` [m]: edges of a box; radius of a sphere; of a cylinder or capsule the radii below and above and the length along z, without the caps; empty for a mesh with its `vertices` [m] and triangles, `faces`. `color`: null if the page may choose it. */
export interface ModelShape {
  type: "box" | "cylinder" | "sphere" | "capsule" | "mesh";
  size: number[];
  p: [number, number, number];
  q: [number, number, number, number];
  color: string | null;
  role: "link" | "joint" | "inertia" | "frame";
  vertices: [number, number, number][];
  faces: [number, number, number][];
}

/** The platform to scale. Points [m]: base joints in W, platform joints in P; P at neutral is at `p_neutral`. */
export interface Scene {
  kind: "platform";
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

/** A sphere that turns on wheels over the platform: centre in P [m], radius [m], named points within it [m]. */
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

/** A job that takes a while. `client`: the page that started it and may cancel it. */
export interface Job {
  number: number;
  client: string;
  what: string;
  state: "running" | "done" | "failed" | "cancelled";
  share: number;
  text: string;
  files: string[];
}

/** The recorder of the live ring; `incident`: what happened to a file while it was written. */
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

/** Sent as text every half second, and at once after a change. */
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

/** A strip chart drawn by a separate process. */
export interface Strip {
  state: "drawing" | "ended" | "failed";
  out: string;
  channels: string[];
  pages: number;
  text: string;
}

/** State of a page's device; "nobody" releases the vehicle, "script" hands it to its script. `axes`: in the browsers' standard layout of gamepads, then the triggers; `buttons`: bits in that order. */
export interface DeviceSays {
  device: "nobody" | "script" | "keyboard" | "gamepad" | "joystick";
  axes: number[];
  buttons: number;
  keys: ("ArrowUp" | "ArrowDown" | "ArrowLeft" | "ArrowRight" | "KeyW" | "KeyS" | "KeyA" | "KeyD" | "KeyQ" | "KeyE" | "KeyR" | "KeyF" | "KeyG" | "KeyB" | "KeyV" | "KeyC" | "Space" | "ShiftLeft" | "PageUp" | "PageDown")[];
}

/** Whether a page's devices reach the vehicle. `why_not`: one sentence, "" if they do. */
export interface Steered {
  kind: "steered";
  why_not: string;
}

/** Role of the caller. `seated`: holds the operator's seat, and so may change state. `waiting`: place in the queue for the seat, 1 for the next; None if not waiting. `may_stop`: whether it may request the emergency stop: with the operator token, or as a viewer if anyone may stop. `stop_port`: port of the stop post at the console's address; None if there is none. */
export interface Me {
  role: "viewer" | "operator";
  client: string;
  seated: boolean;
  waiting: number | null;
  may_stop: boolean;
  stop_port: number | null;
}

/** The holder of the operator's seat. `away`: its page has lost its connection, and keeps the seat for 30 s; `waiting`: names in the queue, in order. */
export interface Seat {
  client: string;
  name: string;
  since_utc: number;
  away: boolean;
  waiting: string[];
}

/** Request for the seat. `force` takes it from `from_client`, the holder that the page showed, and from no other. `wait` joins the queue if another page has the seat, instead of being refused. */
export interface TakeSeat {
  name: string;
  force: boolean;
  from_client: string | null;
  wait: boolean;
}

/** The sea of the simple mode: (amplitude, kx, ky, turns, phase) of its waves, by the channel `sea_progress`. */
export interface SeedSea {
  waves: [number, number, number, number, number][];
  loop: number;
  units: number;
  handles: number[];
}

/** Something to drive over: its middle, the direction of its `length` [rad], `height` above the ground [m]. */
export interface WorldBump {
  name: string;
  p: [number, number, number];
  heading: number;
  length: number;
  width: number;
  height: number;
}

/** What a driver moves: with `keys` and `buttons`, to its least and to its most, and an `axis` of a gamepad. `springs`: goes back to its `rest` when it is let go. `turned`: the axis moves it the other way. */
export interface WorldControl {
  name: string;
  label: string;
  channel: string;
  least: number;
  most: number;
  rest: number;
  springs: boolean;
  keys: (string | null)[];
  gamepad: string;
  axis: number | null;
  turned: boolean;
  buttons: (number | null)[];
}

/** Lines and arcs along which an object goes with `speed` [m/s]; at time 0 it is at `start` [m] along them. A segment is (s, x, y, heading, curvature): where it begins, along the course and in the world [m], its heading there [rad] and its curvature [1/m]. `length` [m]: of a closed course; null for one that goes on straight. */
export interface WorldCourse {
  speed: number;
  start: number;
  length: number | null;
  segments: [number, number, number, number, number][];
}

/** Level ground at `elevation` [m], and (amplitude, kx, ky, phase) of its hills, `waves` [m, rad/m, rad]. */
export interface WorldGround {
  runway: WorldRunway | null;
  elevation: number;
  waves: [number, number, number, number][];
}

/** An instrument: it shows scale times the channel. */
export interface WorldInstrument {
  name: string;
  label: string;
  channel: string;
  unit: string;
  scale: number;
  low: number | null;
  high: number | null;
  look: string;
}

/** While `channel` has this number, an object stands off its place by the channels `x` and `y`, in the world [m]. */
export interface WorldMoved {
  number: number;
  channel: string;
  x: string;
  y: string;
}

/** Another craft, a buoy, a building: at `p` [m] with `heading` [rad] at time 0. It moves with `v` [m/s], or along a `course`. `floats`: it goes up and down with the surface. `moved`: pushed away. */
export interface WorldObject {
  name: string;
  shapes: ModelShape[];
  p: [number, number, number];
  heading: number;
  v: [number, number];
  course: WorldCourse | null;
  floats: boolean;
  wake: WorldWake | null;
  moved: WorldMoved | null;
}

/** A part of the vehicle: it turns about `axis` through `p` by `channel` [rad], or slides along it by `slide` [m]. Positive turns follow the right hand. `scale`: what the channel is multiplied by. `on`: the name of an earlier part that carries it; `p` and `axis` are in axes of the vehicle all the same, as they are with every channel at 0. */
export interface WorldPart {
  name: string;
  on: string | null;
  shapes: ModelShape[];
  p: [number, number, number];
  axis: [number, number, number];
  channel: string | null;
  slide: string | null;
  scale: number;
}

/** Its middle line and its width [m]; a `closed` one goes on from its last point to its first. */
export interface WorldRoad {
  points: [number, number, number][];
  width: number;
  closed: boolean;
  bumps: WorldBump[];
}

/** Its middle, in which direction it goes [rad], its length and width [m]. */
export interface WorldRunway {
  p: [number, number, number];
  heading: number;
  length: number;
  width: number;
}

/** The vehicle and its surroundings; `eye` and `chase` are in axes of the vehicle [m]. `captions`: by script, times of the world [s] and what is shown from then on. */
export interface WorldScene {
  kind: "boat" | "flight" | "drive";
  name: string;
  script: string;
  captions: Record<string, [number, string][]>;
  eye: [number, number, number];
  chase: [number, number, number];
  vehicle: WorldVehicle;
  parts: WorldPart[];
  instruments: WorldInstrument[];
  controls: WorldControl[];
  objects: WorldObject[];
  sea: WorldSea | null;
  ground: WorldGround | null;
  road: WorldRoad | null;
}

/** (amplitude, kx, ky, omega, phase) of its waves [m, rad/m, rad/s, rad], the largest first; or `seed`. */
export interface WorldSea {
  waves: [number, number, number, number, number][];
  significant_height: number;
  peak_period: number | null;
  seed: SeedSea | null;
}

/** The vehicle in its own axes: x forward, y left, z up. */
export interface WorldVehicle {
  shapes: ModelShape[];
}

/** The water line of a hull that draws waves behind it [m], and its speed [m/s]. */
export interface WorldWake {
  length: number;
  beam: number;
  draft: number;
  speed: number;
}
