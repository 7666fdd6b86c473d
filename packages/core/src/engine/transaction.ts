import type { EventMask } from '../masking/event-mask.ts';
import { ConversationError } from '../contract/errors/conversation-error.ts';
import { invalidOption } from '../contract/settings-input/invalid-option.ts';
import { unknownEvent } from './event-log.ts';
import {
  eventBytes,
  MAX_EVENT_BYTES,
  stampEvent,
  type ActionEvent,
  type Event,
  type EventDraft,
} from '../events/index.ts';
import { isEventError } from '../events/event-error.ts';
import { type createClock, isTimestamp } from '../events/timestamp.ts';
import { freezeJson } from '../events/freeze-json.ts';
import { jsonCopy } from '../events/wire-copy.ts';
import type { CallRecord, Commit } from '../contract/store/commit.ts';
import { toEventIndex } from '../contract/state/log-position.ts';
import { pendingCalls, type BranchState } from './fold/branch.ts';
import type { StateFields } from '../contract/state/fields.ts';
import { compactPatch, mergePatches, type StatePatch } from '../contract/state/patch.ts';
import { lengthOf } from './fold/recent-events.ts';
import { applyEvent, applyStatePatch, type BranchLookup, type Projection } from './fold/projection.ts';

/** The state that a transaction changes, as the transaction uses it. */
export interface TransactionHost {
  readonly clock: ReturnType<typeof createClock>;
  readonly mask: EventMask;
  newId(): string;
  /** Resolves with true if an event with this id is stored, or will be. */
  has(eventId: string): Promise<boolean>;
  branches(leaves: readonly (string | null)[]): Promise<BranchLookup>;
  /** Called when HEAD leaves a branch; it may come back. */
  left(leaf: string | null, branch: BranchState): void;
}

/** Changes that become one commit. Sees the accepted state with its own changes. Ends when the function that it was given to returns; later calls throw. */
export class Transaction {
  readonly #host: TransactionHost;
  readonly #events: Event[] = [];
  readonly #records: CallRecord[] = [];
  readonly #branches = new Map<string | null, ReturnType<BranchLookup>>();
  #patch: StatePatch | undefined;
  #afterEvents: Projection;
  #current: Projection;
  #headMoved = false;
  #ended = false;

  constructor(host: TransactionHost, accepted: Projection) {
    this.#host = host;
    this.#afterEvents = accepted;
    this.#current = accepted;
  }

  /** The accepted state, with the changes of this transaction so far. */
  get state(): StateFields {
    return this.#current.fields;
  }

  /** Executable actions of the live branch without a result. */
  get pendingActions(): readonly ActionEvent[] {
    return pendingCalls(this.#current.branch).map(({ event }) => event);
  }

  /** All actions of the live branch without a result; actions that cannot be executed count too. */
  get openActions(): readonly ActionEvent[] {
    return [...this.#current.branch.open.values()].map(({ event }) => event);
  }

  /** The facts about the live branch: if it holds a system prompt, if it holds other events that a model reads, and the number of model responses. */
  get branch(): Pick<BranchState, 'prompted' | 'spoken' | 'iteration'> {
    return this.#current.branch;
  }

  /** Stamps and appends events. Rejects `INVALID_EVENT`, `EVENT_TOO_LARGE`, `DUPLICATE_EVENT`, `UNKNOWN_EVENT` for a parent. */
  async append(...drafts: readonly EventDraft[]): Promise<readonly Event[]> {
    const appended: Event[] = [];
    for (const draft of drafts) appended.push(await this.#appendOne(draft));
    return appended;
  }

  /** Checks what {@link Transaction.append} would check of a draft's content and size, without appending it. */
  validate(draft: EventDraft): void {
    this.#assertOpen();
    assertOwnFields(draft);
    this.#stamp(draft);
  }

  /** Resolves with true if an event with this id is stored, or will be. */
  async has(eventId: string): Promise<boolean> {
    return this.#events.some(({ id }) => id === eventId) || this.#host.has(eventId);
  }

  /** Returns an id for an event that is appended later. */
  newId(): string {
    return this.#host.newId();
  }

  /**
   * Changes fields. The patch is copied, not taken over; throws `INVALID_INPUT` for values that are not JSON. Only
   * {@link Transaction.moveHead} moves HEAD, because its branch must be read.
   */
  update(patch: StatePatch): void {
    this.#assertOpen();
    const copy = this.#host.mask.patch(toJson(patch, 'a patch'));
    const { leafEventId: head } = this.#current.fields;
    const { leafEventId } = { leafEventId: copy.unset?.includes('leafEventId') ? null : head, ...copy.set };
    if (leafEventId !== head) throw new TypeError('a patch cannot move HEAD; call moveHead');
    this.#change(copy);
  }

  /** Counts model calls. Throws `INVALID_INPUT` for values that are not JSON. */
  record(...records: readonly CallRecord[]): void {
    this.#assertOpen();
    this.#records.push(...toJson(records, 'a call record'));
  }

  /**
   * Moves HEAD; `null` before the first event. Nothing can be appended in the same transaction after it, because the events
   * of a commit come before its patch. Rejects `UNKNOWN_EVENT`.
   */
  async moveHead(leaf: string | null): Promise<void> {
    this.#assertOpen();
    if (leaf !== null && !(await this.#host.has(leaf))) throw unknownEvent(leaf);
    await this.#load(leaf);
    this.#host.left(this.#current.fields.leafEventId, this.#current.branch);
    this.#headMoved = true;
    this.#change({ set: { leafEventId: leaf, headIsEmpty: leaf === null } });
  }

  /** Ends the transaction; returns the commit, or `undefined` when nothing changed. */
  end(): (Pick<Commit, 'events' | 'patch' | 'records'> & { lookup: BranchLookup }) | undefined {
    this.#ended = true;
    const patch = compactPatch(this.#patch);
    if (this.#events.length === 0 && this.#records.length === 0 && !patch) return undefined;
    const records = this.#records.length > 0 ? { records: this.#records } : {};
    return { events: this.#events, ...(patch ? { patch } : {}), ...records, lookup: this.#lookup };
  }

  #change(patch: StatePatch): void {
    this.#patch = mergePatches(this.#patch, patch);
    this.#refresh();
  }

  async #appendOne(draft: EventDraft): Promise<Event> {
    this.#assertOpen();
    if (this.#headMoved) throw new TypeError('an event cannot follow moveHead; append it in another transaction');
    assertOwnFields(draft);
    if (draft.id !== undefined && (await this.has(draft.id)))
      throw new ConversationError('DUPLICATE_EVENT', `an event has the id ${draft.id} already; choose another id`);
    await this.#checkParent(draft.parent_id);
    const event = this.#stamp(draft);
    this.#afterEvents = applyEvent(this.#afterEvents, event, toEventIndex(this.#afterEvents.end.event), this.#lookup);
    this.#events.push(event);
    this.#refresh();
    return event;
  }

  #stamp(draft: EventDraft): Event {
    const { fields, end, lastTimestamp } = this.#afterEvents;
    const parentId = fields.leafEventId ?? (end.event === 0 ? null : '__root__');
    const values = { id: this.#host.newId(), timestamp: this.#host.clock.next(lastTimestamp), parentId };
    const event = checked('INVALID_EVENT', '', () => stampEvent(this.#host.mask.draft(draft), values));
    // JSON takes up to six bytes for a character, so most events need not be written to see that they fit
    const size = lengthOf(event) * 6 <= MAX_EVENT_BYTES ? 0 : eventBytes(event);
    if (size <= MAX_EVENT_BYTES) return event;
    const text = `${event.kind}: expected at most ${MAX_EVENT_BYTES} bytes, found ${size}; shorten it`;
    throw new ConversationError('EVENT_TOO_LARGE', text);
  }

  async #checkParent(parent: string | null | undefined): Promise<void> {
    if (parent === undefined || parent === null || parent === this.#afterEvents.fields.leafEventId) return;
    if (parent === '__root__') return this.#load(null);
    const own = this.#events.some(({ id }) => id === parent);
    if (own) throw invalidOption(`event ${parent} is not HEAD; append its second child in a commit of its own`);
    if (!(await this.#host.has(parent))) throw unknownEvent(parent);
    await this.#load(parent);
  }

  async #load(leaf: string | null): Promise<void> {
    if (!this.#branches.has(leaf)) this.#branches.set(leaf, (await this.#host.branches([leaf]))(leaf));
  }

  readonly #lookup: BranchLookup = (leaf) => this.#branches.get(leaf);

  #refresh(): void {
    this.#current = applyStatePatch(this.#afterEvents, this.#patch, this.#lookup);
  }

  #assertOpen(): void {
    if (this.#ended) throw new ConversationError('CLOSED', 'the transaction has ended; begin another one');
  }
}

/** Checks the id and the timestamp of a draft, because they are stored for good. Throws `INVALID_EVENT`. */
function assertOwnFields({ kind, id, timestamp }: EventDraft): void {
  if (id !== undefined && (typeof id !== 'string' || id === ''))
    throw new ConversationError('INVALID_EVENT', `${kind}: the id ${quoted(id)} must be a text that is not empty`);
  if (timestamp !== undefined && (typeof timestamp !== 'string' || !isTimestamp(timestamp)))
    throw new ConversationError('INVALID_EVENT', `${kind}: timestamp: expected a time, found ${quoted(timestamp)}`);
}

function quoted(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 64)) : `of type ${typeof value}`;
}

/** Returns a frozen copy, so that the state matches the log even if the caller changes the value later. */
function toJson<T extends object>(value: T, subject: string): T {
  return checked('INVALID_INPUT', `${subject}: `, () => freezeJson(jsonCopy(value) as unknown as T));
}

/** Does work whose errors about events are the conversation's errors with this code. */
function checked<T>(code: 'INVALID_EVENT' | 'INVALID_INPUT', place: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (!isEventError(cause)) throw cause;
    throw new ConversationError(code, `${place}${cause.text}`, { cause });
  }
}
