import type { Commit, NewCommit } from '../contract/store/commit.ts';
import type { Journal } from '../contract/store/conversation-store.ts';
import { isStoreError } from '../contract/errors/store-error.ts';
import { foldJournal } from './fold/fold-journal.ts';
import { applyCommit, type BranchLookup, type Projection } from './fold/projection.ts';

/** An observer of durable commits and of the loss of the conversation. */
export interface PipelineObserver {
  /** Called in log order, once for each commit, after the durable state has moved. Must not throw. */
  durable(commit: Commit): void;
  /** Called when nothing can be stored any more. */
  lost(error: unknown): void;
}

/**
 * Takes a commit from accepted to durable, the place where a commit becomes durable. {@link CommitPipeline.accept} moves the
 * accepted state at once and hands the commit to the store. When {@link Journal.append} resolves, the commit is durable, and the
 * durable state follows. Commits share device flushes because nothing waits between the two. A failed append discards everything
 * accepted after it.
 */
export class CommitPipeline {
  readonly #journal: Journal;
  readonly #observer: PipelineObserver;
  readonly #inFlight = new Map<Promise<unknown>, NewCommit>();
  #accepted: Projection;
  #durable: Projection;
  #generation = 0;

  constructor(journal: Journal, projection: Projection, observer: PipelineObserver) {
    this.#journal = journal;
    this.#observer = observer;
    this.#accepted = projection;
    this.#durable = projection;
  }

  /** The accepted state, with commits in flight; transactions see it. */
  get accepted(): Projection {
    return this.#accepted;
  }

  /** The durable state, which everything outside the transaction sees. */
  get durable(): Projection {
    return this.#durable;
  }

  /** True if a commit in flight carries an event with this id. */
  carries(eventId: string): boolean {
    for (const { events } of this.#inFlight.values()) if (events.some(({ id }) => id === eventId)) return true;
    return false;
  }

  /** Resolves when no commit is in flight. Never rejects. */
  async settled(): Promise<void> {
    while (this.#inFlight.size > 0) await Promise.allSettled(this.#inFlight.keys());
  }

  /** Resolves when the state accepted now is durable; rejects when a part of it is discarded. */
  async acceptedIsDurable(): Promise<void> {
    await Promise.all(this.#inFlight.keys());
  }

  /** Continues from a state that was read again. Call it when no commit is in flight. */
  replace(projection: Projection): void {
    this.#generation++;
    this.#durable = projection;
    this.#accepted = projection;
  }

  /** Accepts a commit; resolves when it is durable. */
  accept(commit: NewCommit, lookup: BranchLookup): Promise<void> {
    const { seq, event: firstEvent } = this.#accepted.end;
    const after = applyCommit(this.#accepted, { ...commit, seq, epoch: this.#journal.epoch, firstEvent }, lookup);
    this.#accepted = after;
    const done = this.#store(commit, after, this.#generation);
    this.#inFlight.set(done, commit);
    const forget = (): unknown => this.#inFlight.delete(done);
    done.then(forget, forget);
    return done;
  }

  async #store(commit: NewCommit, after: Projection, generation: number): Promise<void> {
    let stored: Commit;
    try {
      stored = await this.#journal.append(commit, after.fields);
    } catch (error) {
      this.#fail(error, generation);
      throw error;
    }
    // A commit that was accepted between a failed append and its report gets a lower number than its fold assumed, so fold again.
    if (generation !== this.#generation || stored.seq + 1 !== after.end.seq) await this.#reload();
    else this.#durable = after;
    this.#observer.durable(stored);
  }

  #fail(error: unknown, generation: number): void {
    if (generation === this.#generation) {
      this.#generation++;
      this.#accepted = this.#durable;
    }
    if (isStoreError(error, 'FENCED') || isStoreError(error, 'OUTCOME_UNKNOWN')) this.#observer.lost(error);
  }

  async #reload(): Promise<void> {
    this.#generation++;
    this.#durable = await foldJournal(this.#journal);
    this.#accepted = this.#durable;
  }
}
