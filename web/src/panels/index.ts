/** The operator's panels, in the order of the rail. */

import "./panels.css";
import { helm } from "../helm";
import type { Panel } from "../shell/panel";
import { cueing } from "./cueing";
import { events } from "./events";
import { generators } from "./generators";
import { operator } from "./operator";
import { recorder } from "./recorder";
import { robot } from "./robot";
import { rotor } from "./rotor";
import { tuning } from "./tuning";

export { kinematics } from "../kinematics";
export { estopButton } from "./operator/estop";
export const panels: Panel[] = [operator, robot, rotor, helm, cueing, generators, tuning, recorder, events];
