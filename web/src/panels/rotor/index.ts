/** The operator's panel of a rotor: controls, flight, the disk, the link to a controller, and whether all is well. */

import "./rotor.css";
import type { Panel } from "../../shell/panel";
import { link, type Given } from "../robot/link";
import { modelPanel } from "../robot/panel";
import { requests, type Manner } from "../robot/requests";
import { controls } from "./controls";
import { disk } from "./disk";

const OF_ROTORS: Manner = {
  asks: {
    drive: { label: "Drive", does: "follow the set points of controls and flight", idle: ["drive", "engaging"], calms: false },
    standby: { label: "Trim", does: "go back to the settings of the start, and stay there", idle: ["standby", "settling"], calms: false },
    freeze: { label: "Freeze", does: "keep all settings as they are", idle: ["freeze", "off", "held", "stopping"], calms: true },
    off: { label: "Unload", does: "send the controls to their safe settings", idle: ["off", "held", "stopping"], calms: true },
  },
  does: {
    off: "The controls are at their safe settings, or wait for a controller.",
    held: "A fault holds the controls.",
    stopping: "The controls go to their safe settings.",
    drive: "Controls and flight follow their set points.",
    settling: "On the way to the settings of the start.",
    standby: "At the settings of the start.",
    freeze: "All settings stay as they are.",
  },
};

const SETTINGS: Given = { what: "Settings", own: "No controller: the set points of this panel are followed." };

export const rotor: Panel = {
  id: "rotor",
  title: "Rotor",
  suits: (app) => app.session.runsRotor(),
  icon: "M12 12m-2 0a2 2 0 1 0 4 0a2 2 0 1 0-4 0|M14 11l7-3|M13 14l3 7|M10 13l-7 3|M11 10L8 3",
  mount: (app) => modelPanel(app, "rotor", "Controls are available while a rotor runs.", requests(app, OF_ROTORS), [...controls(app), disk(app), link(app, SETTINGS)]),
};
