/** What a view draws: a platform, or the bodies of a model. */

import type { Object3D, Quaternion, Scene, Vector3 } from "three";
import type { Choices } from "../choices";
import type { Vec } from "../kinematics";
import type { Theme } from "./theme";
import type { Trail } from "./trail";

export interface Drawn {
  readonly name: string;
  readonly scene: Scene;
  readonly trail: Trail;
  /** A ball in W that holds it: what the camera fits into view [m]. */
  readonly home: { readonly centre: Vec; readonly radius: number };
  /** How somebody is turned who looks from within, in W. */
  readonly Q_eye: Quaternion;
  /** What a hand may take hold of. */
  readonly graspable: Object3D[];
  /** Where somebody is who looks from within, in W. */
  eyeInWorld(): Vector3;
  /** The point that leaves a trail, in W; null where it has no place yet. */
  point(name: string): Vec | null;
  choose(choices: Choices, isPilot: boolean): void;
  /** @param perPixel size of a pixel at a distance of one metre [m] */
  scaleLabels(perPixel: number): void;
  dispose(): void;
}

/** Makes it as it was placed last; called again when dark becomes light. */
export type Maker = (colours: Theme, fine: boolean) => Drawn;
