import {
  checks,
  type ConversationState,
  type EventMask,
  type pastViews,
  type Projection,
  projections,
  ReadonlyState,
  type StateAt,
} from '@conv/core';
import { toCommitSeq, toEventIndex, type Commit, type CommitSeq, type JournalReader } from '@conv/core/store';
import type { PastView } from '@conv/openhands/messages';

import { LogOutline } from './log-outline.ts';
import { PastCheckpoints } from './past-checkpoints.ts';
import { PastViews } from './past-views.ts';
import { toPastView } from './to-past-view.ts';

/** The source of past states: a log's reader, masks and events. A {@link ConversationState} is such a source. */
export type PastSource = Pick<ConversationState, 'reader' | 'mask' | 'events' | 'platform'>;

/**
 * The past states of a log: folds of it, from the nearest snapshot. Nothing is executed. They stay usable while the log grows, and
 * are shared by later states of the same log.
 */
export class PastStates {
  readonly #reader: JournalReader;
  readonly #checkpoints: PastCheckpoints;
  readonly #outline: LogOutline;
  readonly #views: PastViews;
  readonly #mask: EventMask;
  readonly #stateOf: (projection: Projection) => ReadonlyState;

  /** Throws `INVALID_INPUT` for a value without a reader. */
  constructor(source: PastSource) {
    if (typeof source?.reader?.commits !== 'function')
      throw checks.invalid(checks.wrongValue('PastStates: source', 'a ConversationState', source));
    const { reader, mask, events, platform } = source;
    this.#reader = reader;
    this.#checkpoints = new PastCheckpoints(reader);
    this.#views = new PastViews(reader, mask);
    this.#outline = new LogOutline({ reader, mask, platform }, this.#checkpoints, this.#views);
    this.#mask = mask;
    this.#stateOf = (projection) =>
      new ReadonlyState(
        () => projection,
        (leaf) => events.messages(leaf),
        mask,
      );
  }

  /** See `ConversationHistory.at`. */
  async at(point: pastViews.PastPoint): Promise<StateAt & { readonly state: ReadonlyState }> {
    const { projection, commit } = await this.#checkpoints.lookAt(await this.#endOf(point));
    return { commit: commit && this.#mask.commit(commit), state: this.#stateOf(projection) };
  }

  /** See `ConversationHistory.outline`. */
  outline(options?: pastViews.OutlineOptions): Promise<pastViews.Outline> {
    return this.#outline.read(options);
  }

  /** Resolves with the view at a point, see `ConversationHistory.view`. Rejects as {@link PastStates.at}. */
  async view(point: pastViews.PastPoint): Promise<PastView> {
    const { fields, end } = await this.#checkpoints.before(await this.#endOf(point));
    const folded = await this.#views.of(fields.leafEventId);
    return toPastView(folded, end.event, { reader: this.#reader, mask: this.#mask });
  }

  /** Resolves with the end of the last commit of a point. */
  async #endOf(point: pastViews.PastPoint): Promise<CommitSeq> {
    const checked = checks.pastPoint(point, this.#reader.end);
    return typeof checked === 'object' ? this.#after(checked.event) : checked;
  }

  /** Resolves with the end of the commit that holds an event. If that commit is damaged, the next readable commit counts. */
  async #after(event: number): Promise<CommitSeq> {
    const known = await this.#checkpoints.holderOf(event);
    if (known !== undefined) return toCommitSeq(known + 1);
    const fromEvent = toEventIndex(event);
    for (const range of [{ fromEvent, toEvent: toEventIndex(event + 1) }, { fromEvent }])
      for await (const { seq, firstEvent } of this.#reader.commits(range))
        return toCommitSeq(firstEvent <= event ? seq + 1 : seq);
    return this.#reader.end.seq;
  }

  /** See `ConversationHistory.commits`. */
  async *commits(range?: { readonly from?: CommitSeq; readonly to?: CommitSeq }): AsyncGenerator<Commit> {
    for await (const commit of this.#reader.commits(checks.commitSpan('history.commits', range)))
      yield this.#mask.commit(commit);
  }

  /** See `ConversationHistory.replay`. */
  async *replay(range?: {
    readonly from?: CommitSeq;
    readonly to?: CommitSeq;
  }): AsyncGenerator<StateAt & { readonly state: ReadonlyState }> {
    const span = checks.commitSpan('history.replay', range);
    let projection = await projections.readState(this.#reader, { to: span.from });
    for await (const commit of this.#reader.commits(span)) {
      projection = await projections.foldCommit(this.#reader, projection, commit);
      yield { commit: this.#mask.commit(commit), state: this.#stateOf(projection) };
    }
  }
}
