import { pastPoint } from '../contract/conversation/past-point.ts';
import type { EventMask } from '../masking/event-mask.ts';
import type { PastPoint, StateAt } from '../contract/conversation/conversation.ts';
import type { Commit } from '../contract/store/commit.ts';
import { toCommitSeq, toEventIndex, type CommitSeq } from '../contract/state/log-position.ts';
import type { JournalReader } from '../contract/store/conversation-store.ts';
import { foldCommit } from './fold/fold-journal.ts';
import { checkSeq } from './own-reader.ts';
import type { Projection } from './fold/projection.ts';
import { readAround } from './fold/read-state.ts';
import { PastCheckpoints } from './past-checkpoints.ts';
import type { ReadonlyState } from './readonly-state.ts';

/** The past states of a log: folds of it, from the nearest snapshot. Nothing is executed. */
export class PastStates {
  readonly #reader: JournalReader;
  readonly #checkpoints: PastCheckpoints;
  readonly #mask: EventMask;
  readonly #stateOf: (projection: Projection) => ReadonlyState;

  constructor(reader: JournalReader, mask: EventMask, stateOf: (projection: Projection) => ReadonlyState) {
    this.#reader = reader;
    this.#checkpoints = new PastCheckpoints(reader);
    this.#mask = mask;
    this.#stateOf = stateOf;
  }

  /** See {@link ConversationHistory.at}. */
  async at(point: PastPoint): Promise<StateAt & { readonly state: ReadonlyState }> {
    const checked = pastPoint(point, this.#reader.end);
    const to = typeof checked === 'object' ? await this.#after(checked.event) : checked;
    const projection = await this.#checkpoints.before(to);
    let commit: Commit | undefined;
    if (to > 0)
      for await (const last of this.#reader.commits({ from: toCommitSeq(to - 1), to }))
        commit = this.#mask.commit(last);
    return { commit, state: this.#stateOf(projection) };
  }

  /** Resolves with the end of the commit that holds an event; where damage took it, with the next commit that is there. */
  async #after(event: number): Promise<CommitSeq> {
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
