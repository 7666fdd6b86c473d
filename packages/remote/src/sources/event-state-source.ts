import { type ExecutionStatus, policies, projections, type Projection } from '@conv/core';
import { isEvent, type Event, type JsonObject } from '@conv/core/events';
import { isSameJson, type Platform } from '@conv/core/platform';

import { toCommit, type EventReader } from './event-reader.ts';
import { headPatch, openAnew, startingAt } from './commit-state-source.ts';
import type { PullOptions, StateSource, Step } from './state-source.ts';
import { fieldsOf, patchOf, statusOf } from './wire-state.ts';

/** Number of attempts to read a state between which no event came. */
const TRIES = 3;

/** Milliseconds for which the server must show a status that contradicts its log before the status is believed. */
const STAYS = 2_000;

export interface EventStateSourceDeps {
  readonly platform: Platform;
  readonly reader: EventReader;
  readonly info: () => Promise<JsonObject>;
  /** True if the socket brings events with their numbers. */
  readonly numbered: boolean;
}

/**
 * Reads the state of a conversation from a server that does not give its commits. Fields that follow from events are folded from
 * them; the others come from the server's description. Of a long log only the end is folded, so `iteration` counts only that part.
 */
export class EventStateSource implements StateSource {
  readonly #parts: EventStateSourceDeps;
  #storesStatuses = false;
  /** The time of the newest known change of the status. */
  #statusAt = '';
  #other: { readonly status: unknown; readonly since: number } | undefined;

  constructor(parts: EventStateSourceDeps) {
    this.#parts = parts;
  }

  async open(): Promise<Projection> {
    const chunk = await this.#parts.reader.open();
    const info = await this.#parts.info();
    let projection = startingAt(chunk.from, chunk.events[0]);
    for (const [offset, event] of chunk.events.entries())
      projection = await this.#fold(projection, chunk.from + offset, event);
    return (await this.overlay(projection, info, { head: true })).projection;
  }

  /** Looks for the last known event each time, because a page begins with it; so `compare` changes nothing. */
  async *pull(before: Projection, { whole }: PullOptions): AsyncGenerator<Step> {
    let projection = before;
    for (let tries = whole ? TRIES : 1; tries > 0; tries--) {
      const info = whole ? await this.#parts.info() : undefined;
      let quiet = true;
      for await (const { from, events, bytes } of this.#parts.reader.tail()) {
        this.#parts.reader.admit(from, events, bytes);
        for (const [offset, event] of events.entries()) projection = await this.#fold(projection, from + offset, event);
        yield { projection, commit: toCommit(from, events) };
        quiet = false;
      }
      if (!info || (!quiet && tries > 1)) continue;
      yield await this.overlay(projection, this.#believable(info, projection, quiet));
      return;
    }
  }

  async ahead(projection: Projection, index: number, event: Event): Promise<Step> {
    this.#parts.reader.admit(index, [event]);
    return { projection: await this.#fold(projection, index, event), commit: toCommit(index, [event]) };
  }

  updated(projection: Projection, update: Event): Step {
    if (update.timestamp < this.#statusAt) return { projection };
    this.#noteStatus(update);
    return { projection: { ...projection, fields: projections.applyPatch(projection.fields, patchOf(update)) } };
  }

  async refresh(projection: Projection): Promise<Projection> {
    return { ...projection, branch: await openAnew(this.#parts.reader, projection.branch) };
  }

  /** True for the last known event: no other log has its id, which was drawn for it, at the same number. */
  proves(index: number, event: Event): boolean {
    return this.#parts.reader.isLast(index, event.id);
  }

  /** True if the state has the known HEAD: later events are updates of the state, which a socket with numbers brings. */
  covers({ fields }: Projection, { leaf_event_id: leaf }: JsonObject): boolean {
    return this.#parts.numbered && typeof leaf === 'string' && leaf === fields.leafEventId;
  }

  /** Ignores a state that is older than the log's last status, because sockets may bring it late. */
  async published(projection: Projection, state: JsonObject, at: string): Promise<Step | undefined> {
    return at < this.#statusAt ? undefined : this.overlay(projection, state);
  }

  async overlay(
    projection: Projection,
    published: JsonObject,
    { head = false }: { readonly head?: boolean } = {},
  ): Promise<Step> {
    const moved = head ? await this.#moveHead(projection, published['leaf_event_id']) : projection;
    const fields = { ...moved.fields, ...fieldsOf(published) };
    return { projection: isSameJson(fields, moved.fields) ? moved : { ...moved, fields } };
  }

  /**
   * Returns the credible parts of the server's description. The server reads it from a file that may be older than the log, so a
   * status other than the log's is believed only if it lasts.
   */
  #believable(info: JsonObject, projection: Projection, quiet: boolean): JsonObject {
    const { execution_status: status, ...settings } = info;
    const disagrees = status !== projection.fields.executionStatus;
    if (!disagrees || !quiet) this.#other = undefined;
    else if (this.#other?.status !== status) this.#other = { status, since: this.#parts.platform.now() };
    const stays = this.#other !== undefined && this.#parts.platform.now() - this.#other.since >= STAYS;
    return stays || !this.#storesStatuses ? info : settings;
  }

  /** Returns the state with HEAD at `leaf`; null means before the first event. */
  async #moveHead(projection: Projection, leaf: unknown): Promise<Projection> {
    if (leaf === undefined || leaf === projection.fields.leafEventId) return projection;
    if (leaf !== null && (typeof leaf !== 'string' || (await this.#parts.reader.locate(leaf)) === undefined))
      return projection;
    const { end } = projection;
    return projections.foldCommit(this.#parts.reader, projection, {
      ...toCommit(end.event, [], end.seq),
      patch: headPatch(leaf),
    });
  }

  #noteStatus(event: Event): void {
    if (statusOf(event) !== undefined && event.timestamp > this.#statusAt) this.#statusAt = event.timestamp;
  }

  /** Folds an event. The status stays if the server stores its statuses: it stores the status that follows from this event too. */
  async #fold(before: Projection, index: number, event: Event): Promise<Projection> {
    const patch = patchOf(event);
    const commit = { ...toCommit(index, [event], before.end.seq), ...(patch ? { patch } : {}) };
    const after = await projections.foldCommit(this.#parts.reader, before, commit);
    this.#noteStatus(event);
    if (statusOf(event) !== undefined) this.#storesStatuses = true;
    else if (this.#storesStatuses) return withStatus(after, before.fields.executionStatus);
    return isWorking(after, event) ? withStatus(after, 'running') : after;
  }
}

/**
 * True if an event shows that a run works. The socket may tell that the run began after REST has given the call; until then a call that
 * no policy asks about would seem to wait for a person.
 */
function isWorking({ fields }: Projection, event: Event): boolean {
  return (
    isEvent(event, 'ActionEvent') &&
    fields.executionStatus === 'waiting_for_confirmation' &&
    !policies.isActive(fields.confirmationPolicy)
  );
}

function withStatus(projection: Projection, executionStatus: ExecutionStatus): Projection {
  return { ...projection, fields: { ...projection.fields, executionStatus } };
}
