import type { Event } from '@conv/core/events';
import { turnItems, type CallItem, type NumberedEvent } from '@conv/turns';
import { WebSocket } from 'ws';

import type { Decided } from '../door/door.ts';
import { pause } from '../door/rest.ts';
import { KEY_HEADER } from '../server/server-plan.ts';
import { HANGS } from '../story/story-agent.ts';
import { ServerLog } from './server-log.ts';

/** The reason why a run stands still. `rest`: it has ended. `stop`: it does not end by itself. */
export type Standstill =
  | { readonly kind: 'rest' | 'stop' }
  | { readonly kind: 'decisions'; readonly calls: readonly CallItem[] };

/** Milliseconds after which a run that does not go on is an error. */
const PATIENCE = 60_000;

interface Frame {
  readonly type: string;
  readonly seq: number;
  readonly event: Event & { readonly key?: string; readonly value?: unknown };
}

/** A conversation as the session socket tells it, without a proxy: it is heard of at once, and asks for nothing again and again. */
export class LiveLog {
  readonly #url: () => string;
  readonly #id: string;
  readonly #server: ServerLog;
  readonly #events: NumberedEvent[] = [];
  #status: string | undefined;
  /** The message whose answer does not end by itself. */
  #hangs: unknown;
  #change = Promise.withResolvers<void>();
  #socket: WebSocket | undefined;
  #isClosed = false;

  constructor(url: () => string, id: string) {
    this.#url = url;
    this.#id = id;
    this.#server = new ServerLog(url, id);
    this.#connect();
  }

  /** Resolves with the events of the log, which the server is asked for. */
  events(): Promise<readonly NumberedEvent[]> {
    return this.#server.events();
  }

  /** Waits until the log has the message, and something of the agent behind it. */
  async answered(message: string): Promise<void> {
    const text = JSON.stringify(message);
    let at = -1;
    await this.#until(`an answer to ${message}`, () => {
      if (at < 0) at = this.#events.findLastIndex(({ event }) => JSON.stringify(event).includes(text));
      return at >= 0 && this.#events.slice(at + 1).some(({ event }) => event.source !== 'user');
    });
  }

  /** Waits until each of these calls has its result, and so has the call that runs in the place of an edited one. */
  async settled(decided: readonly Decided[]): Promise<void> {
    const actions = decided.map(({ action }) => action);
    const edits = decided.flatMap(({ input }) => (input ? [JSON.stringify(input)] : []));
    await this.#until(`a result of ${actions.join(', ')}`, () => {
      // the edited call is in the commit of the decision, and the status says that it waits until the run has begun
      const isDecided = ({ actionId, input }: CallItem): boolean =>
        actions.includes(actionId) || edits.includes(JSON.stringify(JSON.parse(input)));
      return !this.#openCalls().some(isDecided);
    });
  }

  /** Waits until the run has ended, or waits for a person. */
  async standstill(): Promise<Standstill> {
    let found: Standstill | undefined;
    for (;;) {
      await this.#until('a standstill', () => (found = this.#standstill()) !== undefined);
      // the state of a socket may be that before the run
      const status = await this.#server.status();
      if (found && status === this.#status) return found;
      this.#status = status;
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#socket?.terminate();
  }

  #standstill(): Standstill | undefined {
    const status = this.#status;
    if (status === undefined || status === 'idle') return undefined;
    const open = this.#openCalls();
    if (status === 'waiting_for_confirmation') return open.length > 0 ? { kind: 'decisions', calls: open } : undefined;
    if (status !== 'running') return { kind: 'rest' };
    const message = this.#events.findLast(({ event }) => event.source === 'user')?.event.id;
    return message !== undefined && message === this.#hangs ? { kind: 'stop' } : undefined;
  }

  #openCalls(): readonly CallItem[] {
    return turnItems(this.#events).flatMap((item) => (item.kind === 'call' && !item.result ? [item] : []));
  }

  async #until(what: string, isThere: () => boolean): Promise<void> {
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(new Error(`${what} did not come; ${this.#status}`)), PATIENCE);
    try {
      while (!isThere()) await Promise.race([this.#change.promise, late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  #connect(): void {
    const path = `/sockets/session/${this.#id}?after_seq=${this.#events.length - 1}`;
    const socket = new WebSocket(`${this.#url().replace('http', 'ws')}${path}`, { headers: KEY_HEADER });
    this.#socket = socket;
    socket.on('message', (data) => this.#take(JSON.parse((data as Buffer).toString()) as Frame));
    socket.on('error', () => socket.terminate());
    socket.once('close', () => {
      this.#status = undefined;
      void pause().then(() => this.#isClosed || this.#connect());
    });
  }

  #take({ type, seq, event }: Frame): void {
    if (type === 'durable' && seq === this.#events.length) this.#events.push({ index: seq, event });
    if (type === 'transient' && event.kind === 'ConversationStateUpdateEvent') this.#changeState(event);
    this.#change.resolve();
    this.#change = Promise.withResolvers<void>();
  }

  #changeState({ key, value }: Frame['event']): void {
    const members = (key === 'full_state' ? value : { [String(key)]: value }) as Readonly<Record<string, unknown>>;
    const { execution_status: status, agent_state: state } = members;
    if (typeof status === 'string') this.#status = status;
    if (typeof state === 'object') this.#hangs = Object(state)[HANGS];
  }
}
