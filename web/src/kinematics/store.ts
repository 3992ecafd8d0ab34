/** What is known of joints and clearances: of the pose that is shown, of the alarm, and of a pose that is only studied. */

import { computed, signal } from "../core/signal";
import type { SourceName } from "../net/socket";
import type { ClearanceAlarm, Kinematics, Posture } from "../net/types";
import type { Pose } from "../scene/kinematics";

/** An alarm about parts that came too near; it stays until somebody has seen it. */
export interface Raised {
  readonly worst: ClearanceAlarm;
  readonly isActive: boolean;
  readonly isSeen: boolean;
}

/** A pose under study; nothing of it is sent to the platform. */
export interface Study {
  readonly pose: Pose;
  /** What the server says of it; null until it has. */
  readonly found: Posture | null;
  /** Why there is nothing to say; "" where there is. */
  readonly text: string;
  /** Whether it is on its way from one extreme to another. */
  readonly isMoving: boolean;
}

type BySource<T> = Partial<Record<SourceName, T>>;

export class KinematicsStore {
  /** Of the newest record that was looked at. */
  readonly live = signal<Kinematics | null>(null);
  readonly clearance = signal<BySource<ClearanceAlarm>>({});
  readonly raised = signal<BySource<Raised>>({});
  readonly study = signal<Study | null>(null);
  /** Whether there is one: it moves with every picture, this does not. */
  readonly isStudied = computed(() => this.study() !== null);

  told(alarm: ClearanceAlarm): void {
    this.clearance.set({ ...this.clearance.peek(), [alarm.source]: alarm });
    const { [alarm.source]: before, ...others } = this.raised.peek();
    const next = judged(before, alarm);
    if (next !== before) this.raised.set(next ? { ...others, [alarm.source]: next } : others);
  }

  acknowledge(source: SourceName): void {
    const { [source]: alarm, ...others } = this.raised.peek();
    if (alarm) this.raised.set(alarm.isActive ? { ...others, [source]: { ...alarm, isSeen: true } } : others);
  }

  /** Those that concern the page. @param shows whether it shows a ring; the live base concerns every page */
  near(shows: (source: SourceName) => boolean): [SourceName, Raised][] {
    const all = Object.entries(this.raised()) as [SourceName, Raised][];
    return all.filter(([source]) => source === "live" || shows(source));
  }
}

/** @param before of this ring, undefined where none is raised */
export function judged(before: Raised | undefined, now: ClearanceAlarm): Raised | undefined {
  if (!now.is_alarm) return !before?.isActive ? before : before.isSeen ? undefined : { ...before, isActive: false };
  if (now.verdict === null && before) return before; // raised, and the distance is unknown
  const isWorse = !before || nearness(now) < nearness(before.worst);
  if (before?.isActive && !isWorse) return before;
  return { worst: isWorse ? now : before.worst, isActive: true, isSeen: before?.isActive === true && before.isSeen };
}

function nearness({ verdict, least }: ClearanceAlarm): number {
  return verdict === "interference" ? -1 : (least ?? Infinity);
}

/** 42.1 mm, or that parts interfere. */
export function gapText(distance: number | null): string {
  return distance === null ? "interfere" : `${(1000 * distance).toFixed(1)} mm`;
}
