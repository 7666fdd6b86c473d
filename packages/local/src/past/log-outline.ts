import { checks, type EventMask, type pastViews, type Projection, projections } from '@conv/core';
import { Turns } from '@conv/core/platform';
import type { JournalReader } from '@conv/core/store';

import { OutlineFold } from './outline-fold.ts';
import type { PastCheckpoints } from './past-checkpoints.ts';

/** A fold of the commits before `projection.end`, with the conditions under which it is still valid. */
interface Folded {
  readonly fold: OutlineFold;
  projection: Projection;
  readonly maskVersion: number;
  readonly damage: number;
}

/**
 * The outline of a log. It is folded once and then only extended, in the same pass that makes the checkpoints of past states. A
 * cache: it is rebuilt when there is a new value to mask, or when damage was found since.
 */
export class LogOutline {
  readonly #reader: JournalReader;
  readonly #mask: EventMask;
  readonly #checkpoints: PastCheckpoints;
  readonly #turns = new Turns();
  #folded: Folded | undefined;

  constructor(reader: JournalReader, mask: EventMask, checkpoints: PastCheckpoints) {
    this.#reader = reader;
    this.#mask = mask;
    this.#checkpoints = checkpoints;
  }

  /** See `ConversationHistory.outline`. */
  async read(options?: pastViews.OutlineOptions): Promise<pastViews.Outline> {
    const checked = checks.outlineOptions(options);
    return this.#turns.run(async () => {
      const { event, seq } = this.#reader.end;
      let folded = this.#usable();
      await this.#extend(folded, seq);
      // damage is found while commits are read
      if (folded.damage !== this.#reader.damage.length) await this.#extend((folded = this.#usable()), seq);
      return folded.fold.read(checked, event);
    });
  }

  #usable(): Folded {
    const now = { maskVersion: this.#mask.version, damage: this.#reader.damage.length };
    const known = this.#folded;
    if (known?.maskVersion === now.maskVersion && known.damage === now.damage) return known;
    return (this.#folded = { ...now, fold: new OutlineFold(this.#mask), projection: projections.empty });
  }

  #extend(folded: Folded, to: Projection['end']['seq']): Promise<void> {
    return this.#checkpoints.walk(folded.projection, to, (before, commit, after) => {
      folded.fold.add(before, commit, after);
      folded.projection = after;
    });
  }
}
