import { pastPoint } from '../contract/conversation/past-point.ts';
import type { EventMask } from '../masking/event-mask.ts';
import type { PastPoint, StateAt } from '../contract/conversation/conversation.ts';
import type { HiddenEvents } from '../contract/conversation/model-view.ts';
import type { Outline, OutlineOptions } from '../contract/conversation/outline.ts';
import type { Event } from '../events/index.ts';
import { toCommitSeq, toEventIndex, type CommitSeq } from '../contract/state/log-position.ts';
import type { JournalReader } from '../contract/store/conversation-store.ts';
import { foldCommit } from './fold/fold-journal.ts';
import { checkSeq } from './own-reader.ts';
import type { Projection } from './fold/projection.ts';
import { readAround } from './fold/read-state.ts';
import { LogOutline } from './log-outline.ts';
import { PastCheckpoints } from './past-checkpoints.ts';
import { PastViews } from './past-views.ts';
import { modelEvents } from './view/view.ts';
import type { ReadonlyState } from './readonly-state.ts';

/** The view of a model at a point of a log, before messages are made of it. */
export interface PastView {
  /** The number of events of the log at this point. */
  readonly end: number;
  /** The events that the model would be asked with, secrets masked. */
  readonly events: readonly Event[];
  /** Returns the number of an event of the view; a summary has the number of its condensation. */
  readonly numberOf: (id: string) => number | undefined;
  readonly hidden: readonly HiddenEvents[];
  readonly condensationRequested: boolean;
}

/** The past states of a log: folds of it, from the nearest snapshot. Nothing is executed. */
export class PastStates {
  readonly #reader: JournalReader;
  readonly #checkpoints: PastCheckpoints;
  readonly #outline: LogOutline;
  readonly #views: PastViews;
  readonly #mask: EventMask;
  readonly #stateOf: (projection: Projection) => ReadonlyState;

  constructor(reader: JournalReader, mask: EventMask, stateOf: (projection: Projection) => ReadonlyState) {
    this.#reader = reader;
    this.#checkpoints = new PastCheckpoints(reader);
    this.#outline = new LogOutline(reader, mask, this.#checkpoints);
    this.#views = new PastViews(reader);
    this.#mask = mask;
    this.#stateOf = stateOf;
  }

  /** See {@link ConversationHistory.at}. */
  async at(point: PastPoint): Promise<StateAt & { readonly state: ReadonlyState }> {
    const { projection, commit } = await this.#checkpoints.lookAt(await this.#endOf(point));
    return { commit: commit && this.#mask.commit(commit), state: this.#stateOf(projection) };
  }

  /** See {@link ConversationHistory.outline}. */
  outline(options?: OutlineOptions): Promise<Outline> {
    return this.#outline.read(options);
  }

  /** Resolves with the view at a point, see {@link ConversationHistory.view}. Rejects as {@link PastStates.at}. */
  async view(point: PastPoint): Promise<PastView> {
    const { fields, end } = await this.#checkpoints.before(await this.#endOf(point));
    const folded = await this.#views.of(fields.leafEventId);
    const { view } = folded;
    return {
      end: end.event,
      events: modelEvents(view).map((event) => this.#mask.event(event)),
      numberOf: (id) => folded.numberOf(id),
      hidden: folded.hidden,
      condensationRequested: view.condensationRequested,
    };
  }

  /** Resolves with the end of the last commit of a point. */
  async #endOf(point: PastPoint): Promise<CommitSeq> {
    const checked = pastPoint(point, this.#reader.end);
    return typeof checked === 'object' ? this.#after(checked.event) : checked;
  }

  /** Resolves with the end of the commit that holds an event; where damage took it, with the next commit that is there. */
  async #after(event: number): Promise<CommitSeq> {
    const known = await this.#checkpoints.holderOf(event);
    if (known !== undefined) return toCommitSeq(known + 1);
    const fromEvent = toEventIndex(event);
    for (const range of [{ fromEvent, toEvent: toEventIndex(event + 1) }, { fromEvent }])
      for await (const { seq, firstEvent } of this.#reader.commits(range))
        return toCommitSeq(firstEvent <= event ? seq + 1 : seq);
    return this.#reader.end.seq;
  }

  /** See {@link ConversationHistory.replay}. */
  async *replay({
    from = toCommitSeq(0),
    to,
  }: { readonly from?: CommitSeq; readonly to?: CommitSeq } = {}): AsyncGenerator<
    StateAt & { readonly state: ReadonlyState }
  > {
    checkSeq(from);
    checkSeq(to);
    let { projection } = await readAround(this.#reader, { to: from });
    for await (const commit of this.#reader.commits({ from, to })) {
      projection = await foldCommit(this.#reader, projection, commit);
      yield { commit: this.#mask.commit(commit), state: this.#stateOf(projection) };
    }
  }
}
