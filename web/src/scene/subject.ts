/** What the view is about: it takes records, moves what is drawn, and writes the numbers below it. */

import type { Pose } from "./kinematics";
import type { Maker } from "./view/drawn";

export interface Subject {
  readonly name: string;
  /** Load what drawing needs. What it makes stands where it was placed last, also after the colours changed. */
  ready(): Promise<Maker>;
  /** Whether something that is no record wants to be shown, such as a study. */
  hasNews(): boolean;
  /**
   * Show the newest record.
   * @param isStale draw even where nothing moved; @param wantsNumbers whether texts may be written now
   * @returns whether what is drawn was moved
   */
  take(isStale: boolean, wantsNumbers: boolean): boolean;
  /** Time of what is drawn for its trail [s]; NaN where it is no record. */
  readonly t: number;
  /** The pose that a hand may take hold of; null where there is none. */
  held(): Pose | null;
  /** A hand moved it. */
  dragged(pose: Pose): void;
  /** For a saved picture: what it shows, in parts. */
  caption(): string[];
}
