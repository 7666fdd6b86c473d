import { ConversationError } from '@conv/core';
import { readEvent, type Event } from '@conv/core/events';
import { eventRoutes, type Route, type RouteInput } from '@conv/openhands/rest';

import { readAnswer, toServerCall, type RequestParts } from '../transport/call-route.ts';
import { parseJson, type ServerCall, type ServerClient } from '../transport/server-client.ts';
import { failureOf } from '../transport/server-failure.ts';
import { logChanged, ShorterLog } from './log-changed.ts';

/** Events per request. Servers refuse more. */
const PAGE_SIZE = 100;

export interface EventPage {
  readonly events: readonly Event[];
  /** The id of the first event of the next page; `undefined` on the last one. */
  readonly next: string | undefined;
  /** Size of the answer, to estimate the memory that the page takes. */
  readonly bytes: number;
}

/** A selection of events by time: local times without a zone, with six fraction digits, compared as texts. */
export interface EventTimes {
  /** Inclusive. */
  readonly since?: string;
  /** Exclusive. */
  readonly before?: string;
}

export interface PageOptions extends EventTimes {
  /** True for the newest event first. Default `false`. */
  readonly descending?: boolean;
  /** Default 100. */
  readonly limit?: number;
}

/** Asks for the events of one conversation. */
export class EventPages {
  readonly #client: ServerClient;
  readonly #id: string;
  readonly #signal: AbortSignal;

  constructor(client: ServerClient, conversationId: string, signal: AbortSignal) {
    this.#client = client;
    this.#id = conversationId;
    this.#signal = signal;
  }

  /** Returns the first page; with `descending`, the last page. */
  page(options: PageOptions = {}): Promise<EventPage> {
    return this.#read(this.#search(undefined, options));
  }

  /** Returns the page that begins with this event; `undefined` when the log has no such event. */
  async from(eventId: string, options: PageOptions = {}): Promise<EventPage | undefined> {
    try {
      const page = await this.#read(this.#search(eventId, options));
      // OpenHands' server starts from the beginning instead of refusing
      return page.events[0]?.id === eventId ? page : undefined;
    } catch (error) {
      if (failureOf(error)?.status === 400) return undefined;
      throw error;
    }
  }

  async count(times: EventTimes = {}): Promise<number> {
    const call = this.#call(eventRoutes.count, { query: filterOf(times) });
    const count = readAnswer(eventRoutes.count, await this.#client.send(call), call);
    if (count >= 0) return count;
    throw this.#senseless('count of events');
  }

  /** Returns an event; `undefined` if there is none. OpenHands' server answers 500 for an id that it does not know. */
  async one(id: string): Promise<Event | undefined> {
    const params = { event_id: id };
    const call = { ...this.#call(eventRoutes.get, { params }), expect: [404, 500] };
    const answer = await this.#client.send(call);
    if (answer.status !== 200) return undefined;
    try {
      return readEvent(withoutNulls(parseJson(answer, call)));
    } catch (error) {
      throw this.#senseless('event', error);
    }
  }

  #search(from: string | undefined, { descending = false, limit = PAGE_SIZE, ...times }: PageOptions): ServerCall {
    const order = descending ? ({ sort_order: 'TIMESTAMP_DESC' } as const) : {};
    return this.#call(eventRoutes.search, { query: { page_id: from, limit, ...order, ...filterOf(times) } });
  }

  async #read(call: ServerCall): Promise<EventPage> {
    const answer = await this.#client.send(call);
    const { items, next_page_id: next } = readAnswer(eventRoutes.search, answer, call);
    if (!items) throw this.#senseless('page of events');
    return { events: items, next: next || undefined, bytes: answer.body.byteLength };
  }

  #call<Input extends RouteInput, Answer>(
    route: Route<Input, Answer>,
    { params, ...parts }: Omit<RequestParts<Input>, 'params'> & { readonly params?: object },
  ): ServerCall {
    return toServerCall(
      route,
      { ...parts, params: { conversation_id: this.#id, ...params } },
      { signal: this.#signal, conversationId: this.#id },
    );
  }

  /** Returns the error for an event with this number that the server no longer has. */
  async lost(eventId: string, index: number): Promise<ConversationError> {
    const what = `the server no longer has event ${eventId}`;
    // a count that was taken after the server showed the end again is no sign of a different log
    const replaced = (await this.count()) > index && !(await this.from(eventId, { limit: 1 }));
    return replaced ? logChanged(this.#id, what) : this.shorter(what);
  }

  /** Returns the error for a server that shows a shorter log than before. */
  shorter(what: string): ShorterLog {
    return new ShorterLog(this.#id, what);
  }

  #senseless(what: string, cause?: unknown): ConversationError {
    const message = `conversation ${this.#id}: expected ${what} from the server, found something else; update the server or this client`;
    return new ConversationError('SERVER_FAILED', message, { cause, conversationId: this.#id });
  }
}

/** Removes members that are null: servers add them to a single event, and stored events have none. */
function withoutNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null));
}

function filterOf({ since, before }: EventTimes): {
  readonly timestamp__gte: string | undefined;
  readonly timestamp__lt: string | undefined;
} {
  return { timestamp__gte: since, timestamp__lt: before };
}
