import { checks, type ConversationState, type pastViews, type Projection, projections } from '@conv/core';
import { Turns } from '@conv/core/platform';
import type { JournalEnd, JournalReader } from '@conv/core/store';

import { OutlineFold } from './outline-fold.ts';
import type { PastCheckpoints } from './past-checkpoints.ts';
import type { PastViews } from './past-views.ts';

/** Milliseconds of a turn, after which other calls have theirs: a call for a part does not wait until the whole log is read. */
const TURN = 100;

/** A fold of the commits before `projection.end`, with the conditions under which it is still valid. */
interface Folded {
  readonly fold: OutlineFold;
  projection: Projection;
  readonly maskVersion: number;
  readonly damage: number;
}

/** The log of an outline, and the clock by which a part of it is read. */
export type OutlineSource = Pick<ConversationState, 'mask' | 'platform'> & { readonly reader: JournalReader };

/**
 * The outline of a log. It is folded once and then only extended, in the same pass that makes the checkpoints of past states and of past
 * views: once it covers a point, a look there is short. All calls share the fold and take turns at it. A cache: it is rebuilt when there is a new value to mask, or when damage was found since.
 */
export class LogOutline {
  readonly #source: OutlineSource;
  readonly #checkpoints: PastCheckpoints;
  readonly #views: PastViews;
  readonly #turns = new Turns();
  #folded: Folded | undefined;

  constructor(source: OutlineSource, checkpoints: PastCheckpoints, views: PastViews) {
    this.#source = source;
    this.#checkpoints = checkpoints;
    this.#views = views;
  }

  /** See `ConversationHistory.outline`. */
  async read(options?: pastViews.OutlineOptions): Promise<pastViews.Outline> {
    const { within, ...asked } = checks.outlineOptions(options);
    const { reader, platform } = this.#source;
    const log = reader.end;
    const end = platform.monotonic() + within;
    for (;;) {
      const { folded, isWhole } = await this.#turns.run(() => this.#extend(log, end));
      const covered = folded.projection.end.event;
      // damage is found while commits are read
      const isValid = folded.damage === reader.damage.length;
      if (isValid && isWhole) return folded.fold.read(asked, Math.max(log.event, covered));
      if (platform.monotonic() >= end) return folded.fold.read(asked, isValid ? covered : 0);
    }
  }

  #usable(): Folded {
    const { mask, reader } = this.#source;
    const now = { maskVersion: mask.version, damage: reader.damage.length };
    const known = this.#folded;
    if (known?.maskVersion === now.maskVersion && known.damage === now.damage) return known;
    return (this.#folded = { ...now, fold: new OutlineFold(mask), projection: projections.empty });
  }

  /** Folds commits up to the end of the log for a turn, which does not last beyond `stop`, but at least one commit. */
  async #extend(log: JournalEnd, stop: number): Promise<{ readonly folded: Folded; readonly isWhole: boolean }> {
    const { platform } = this.#source;
    const folded = this.#usable();
    const end = Math.min(stop, platform.monotonic() + TURN);
    // the log may end with commits that damage took, so it is whole when no more come
    let isWhole = true;
    await this.#checkpoints.walk(folded.projection, log.seq, async (before, commit, after) => {
      folded.fold.add(before, commit, after);
      await this.#views.pass(commit);
      folded.projection = after;
      // commits behind the last event are not left out, because a part is known by the number of its events
      isWhole = after.end.event >= log.event || platform.monotonic() < end;
      return isWhole;
    });
    return { folded, isWhole };
  }
}
