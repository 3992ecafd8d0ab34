/** Recordings: the list, what can be made of them, and their replay. */

import "./recordings.css";

export { replayBar } from "./bar";
export { recordingsPanel } from "./panel";
export { Recordings } from "./recordings";
