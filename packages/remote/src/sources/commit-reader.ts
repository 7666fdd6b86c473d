import type { ConversationError, Task } from '@conv/core';
import { readEvent, type Event } from '@conv/core/events';
import {
  toCommitSeq,
  toEventIndex,
  type Commit,
  type CommitRange,
  type EventIndex,
  type JournalEnd,
  type JournalReader,
  type Snapshot,
} from '@conv/core/store';
import { historyRoutes, type WireCommit } from '@conv/openhands/rest';

import { type WireState, parseFields } from './state-at.ts';
import type { ConversationApi } from '../transport/conversation-api.ts';
import type { EventReader } from './event-reader.ts';
import { logChanged, ShorterLog } from './log-changed.ts';
import type { Place } from './known-places.ts';

/** Number of commits that are read to find a commit with events. */
const FEW = 4;

/** Distance in events at which a place is near enough. */
const NEAR = 90;

/** Maximum number of commits that are read to find a place. */
const TRIES = 24;

/** Commits per request. */
const PAGE = 200;

/**
 * Reads the commits of a conversation from a server that has the capability `commits`. Single events are read through the events
 * route.
 */
export class CommitReader implements JournalReader {
  readonly damage: readonly never[] = [];
  readonly #api: ConversationApi;
  readonly #events: EventReader;
  #end: JournalEnd = { seq: toCommitSeq(0), event: toEventIndex(0) };
  /** The last commit that was seen. The server must still have it with this id. */
  #last: { readonly seq: number; readonly id: string } | undefined;

  constructor(api: ConversationApi, events: EventReader) {
    this.#api = api;
    this.#events = events;
  }

  get end(): JournalEnd {
    return this.#end;
  }

  /** Returns the current state, or the state after a commit or after the commit that holds an event. */
  async stateAt(point?: number | { readonly event: number }): Promise<WireState> {
    const query = typeof point === 'object' ? point : { at: point };
    const answer = await this.#api.call(historyRoutes.getState, { query });
    const { seq: last, events, state, iteration, task_list: tasks, pending } = answer;
    if (last === undefined || events === undefined) throw this.#senseless('state');
    if (point === undefined) this.#end = { seq: toCommitSeq(last + 1), event: toEventIndex(events) };
    return {
      seq: last,
      events,
      fields: parseFields(state, this.#api.id),
      iteration,
      taskList: tasks as readonly Task[] | undefined,
      pending: pending ?? [],
    };
  }

  /** Remembers the commit with this number, so that a different commit in its place is noticed. */
  async remember(seq: number): Promise<void> {
    if (seq < 0) return;
    const { commits } = await this.#api.call(historyRoutes.listCommits, { query: { after: seq - 1, limit: 1 } });
    const [commit] = (commits ?? []).map((one) => this.#parse(one));
    if (commit?.seq === seq) this.#last = commit;
  }

  /**
   * Yields the commits after a number and before `to`, page by page. Rejects {@link ShorterLog} if the server lacks a commit that it gave
   * before. With `compare` it rejects `LOG_CHANGED` if another commit has this number now; only the last seen commit can be compared.
   */
  async *after(
    seq: number,
    { compare = false, to = Number.POSITIVE_INFINITY }: { readonly compare?: boolean; readonly to?: number } = {},
  ): AsyncGenerator<Commit> {
    const known = compare && this.#last?.seq === seq ? this.#last : undefined;
    for (let last = known ? seq - 1 : seq; ;) {
      const { commits, has_more, through } = await this.#api.call(historyRoutes.listCommits, {
        query: { after: last, limit: Math.min(PAGE, to - 1 - last) },
      });
      if (!commits) throw this.#senseless('page of commits');
      this.#check(Math.max(last, seq), through);
      for (const one of commits) {
        const commit = this.#parse(one);
        if (commit.seq <= last) throw this.#senseless('commits in their order');
        if (commit.seq >= to) return;
        last = commit.seq;
        if (commit.seq === known?.seq) this.#mustBe(commit, known.id);
        if (commit.seq <= seq) continue;
        this.#note(commit);
        yield commit;
      }
      if (has_more !== true || commits.length === 0 || last >= to - 1) return;
    }
  }

  /**
   * Returns an event near a number. Commits are numbered and hold the number of their first event, so a search by commits finds it.
   */
  async placeNear(index: number): Promise<Place | undefined> {
    let [low, high] = [
      { seq: 0, event: 0 },
      { seq: this.#end.seq as number, event: this.#end.event as number },
    ];
    for (let tries = 0; tries < TRIES && high.seq > low.seq && high.event > low.event; tries++) {
      const share = (index - low.event) / (high.event - low.event);
      const seq = Math.min(high.seq - 1, Math.max(low.seq, Math.floor(low.seq + share * (high.seq - low.seq))));
      const commit = await this.#commitFrom(seq);
      if (!commit) return undefined;
      const [first] = commit.events;
      if (first && Math.abs(commit.firstEvent - index) <= NEAR) return { index: commit.firstEvent, id: first.id };
      if (commit.firstEvent > index) high = { seq, event: commit.firstEvent };
      else low = { seq: commit.seq + 1, event: commit.firstEvent + commit.events.length };
    }
    return undefined;
  }

  async refresh(): Promise<JournalEnd> {
    await this.stateAt();
    return this.#end;
  }

  async *commits(range: CommitRange = {}): AsyncGenerator<Commit> {
    if ('fromEvent' in range) {
      yield* this.#events.commits(range);
      return;
    }
    const to = range.to ?? Number.POSITIVE_INFINITY;
    if ((range.from ?? 0) >= to) return;
    yield* this.after((range.from ?? 0) - 1, { to });
  }

  locate(eventId: string): Promise<EventIndex | undefined> {
    return this.#events.locate(eventId);
  }

  /** Returns none: past states are folded from the first commit. */
  async snapshot(): Promise<Snapshot | undefined> {
    return undefined;
  }

  /** Ends at once, because sockets announce new events. */
  async *watch(): AsyncGenerator<Commit> {}

  async close(): Promise<void> {}

  /** Returns the first commit with events, from a number on. */
  async #commitFrom(seq: number): Promise<Commit | undefined> {
    const { commits } = await this.#api.call(historyRoutes.listCommits, { query: { after: seq - 1, limit: FEW } });
    if (!commits) throw this.#senseless('page of commits');
    return commits.map((one) => this.#parse(one)).find(({ events }) => events.length > 0);
  }

  /**
   * Throws `LOG_CHANGED` for an end before the known one: a server that was restored from an older copy would add other commits
   * behind it.
   */
  #check(known: number, through: unknown): void {
    const isLost = known >= 0 && known < this.#end.seq && !(typeof through === 'number' && through >= known);
    if (isLost && through !== undefined) throw new ShorterLog(this.#api.id, `the server no longer has commit ${known}`);
  }

  #mustBe({ seq, id }: Commit, known: string): void {
    if (id !== known) throw logChanged(this.#api.id, `the server has a different commit ${seq} than before`);
  }

  #note({ id, seq, firstEvent, events }: Commit): void {
    if (seq < this.#end.seq) return;
    this.#last = { seq, id };
    this.#end = { seq: toCommitSeq(seq + 1), event: toEventIndex(firstEvent + events.length) };
  }

  #parse({ events, seq, firstEvent, ...rest }: WireCommit): Commit {
    const numbers = { seq: toCommitSeq(seq), firstEvent: toEventIndex(firstEvent) };
    return { ...rest, ...numbers, events: events.map((event) => this.#event(event)) } as unknown as Commit;
  }

  #event(value: unknown): Event {
    try {
      return readEvent(value);
    } catch (error) {
      throw this.#senseless('event', error);
    }
  }

  #senseless(what: string, cause?: unknown): ConversationError {
    return this.#api.error(
      'SERVER_FAILED',
      `conversation ${this.#api.id}: expected ${what} from the server, found something else; update the server or this client`,
      cause,
    );
  }
}
