/** What is shown of a comparison: its own time and zoom, apart from those of the plots. */

import type { App } from "../../../app";
import { effect, signal } from "../../../core/signal";
import type { CueingTrial } from "../../../net/types";
import { Forms } from "../../../plots/forms";
import type { Shown } from "../../../plots/layer";
import type { Limits } from "../../../plots/spec";
import type { Viewing } from "../../../plots/state";
import { ViewHistory } from "../../../plots/view";

export class TrialView implements Viewing {
  readonly byName;
  readonly limits = signal<Readonly<Record<string, Limits>>>({});
  readonly forms = new Forms();
  readonly selected = signal<string | null>(null);
  readonly hover = signal<number | null>(null);
  readonly a = signal<number | null>(null);
  readonly b = signal<number | null>(null);
  readonly view = new ViewHistory();
  /** Ends what follows the page. */
  readonly end: () => void;

  constructor(
    app: App,
    readonly trial: CueingTrial,
  ) {
    this.byName = signal(new Map(trial.channels.channels.map((channel) => [channel.name, channel])));
    this.end = effect(() => this.forms.tellAngles(app.plots?.forms.angles() ?? "deg"));
  }

  shown(): Shown {
    const { time } = this.view.now.peek();
    const [from, to] = time ?? [this.trial.start, this.trial.end];
    return { from, to, slides: false };
  }

  timeAt(share: number): number {
    const { from, to } = this.shown();
    return from + share * (to - from);
  }
}
