/** The stop post: a process beside the console that takes the emergency stop when the console cannot. */

import { MOVING_MS, type Api } from "./api";
import type { Answer, Me } from "./types";

export class StopPost {
  /** All that this page was ever told of: one whose console was killed still stops the base. */
  #ports = new Set<number>();

  constructor(private readonly api: Api) {}

  /** A page that was opened by a bare IPv6 address has none: no content security policy can name such a one. */
  learn(me: Me | null): void {
    if (me?.stop_port && !location.hostname.startsWith("[")) this.#ports.add(me.stop_port);
  }

  /** One way for each post that is known. */
  ways(): (() => Promise<Answer>)[] {
    return [...this.#ports].map((port) => () => this.api.post<Answer>(address(port), undefined, {}, MOVING_MS));
  }
}

/** At the console's own address, which the page's policy allows beside the console itself. */
function address(port: number): string {
  return `http://${location.hostname}:${port}/api/estop`;
}
