/** The stop post: a process beside the console that takes the emergency stop when the console cannot. */

import { ApiError, MOVING_MS, type Api } from "./api";
import type { Answer, Me } from "./types";

/** What a post answered without being asked for a stop; `accepted`: somebody is there to stop. */
export interface PostAnswer {
  /** HTTP status */
  status: number;
  accepted: boolean;
}

export class StopPost {
  /** All that this page was ever told of: one whose console was killed still stops the base. */
  #ports = new Set<number>();

  constructor(private readonly api: Api) {}

  /** A page that was opened by a bare IPv6 address has none: no content security policy can name such a one. */
  learn(me: Me | null): void {
    if (me?.stop_port && !location.hostname.startsWith("[")) this.#ports.add(me.stop_port);
  }

  /** What the posts say that a stop would do, the best of them; null where none answers. Nothing is asked for. */
  async look(): Promise<PostAnswer | null> {
    const answers = await Promise.all([...this.#ports].map((port) => this.#lookAt(port)));
    return answers.reduce((best, one) => (rank(one) > rank(best) ? one : best), null);
  }

  async #lookAt(port: number): Promise<PostAnswer | null> {
    try {
      const { accepted } = await this.api.get<Answer>(`${address(port)}/ready`, {}, MOVING_MS);
      return { status: 200, accepted };
    } catch (error) {
      return error instanceof ApiError && error.status > 0 ? { status: error.status, accepted: false } : null;
    }
  }

  /** One way for each post that is known. */
  ways(): (() => Promise<Answer>)[] {
    return [...this.#ports].map((port) => () => this.api.post<Answer>(address(port), undefined, {}, MOVING_MS));
  }
}

function rank(answer: PostAnswer | null): number {
  return answer === null ? 0 : answer.accepted ? 3 : answer.status === 200 ? 2 : 1;
}

/** At the console's own address, which the page's policy allows beside the console itself. */
function address(port: number): string {
  return `http://${location.hostname}:${port}/api/estop`;
}
