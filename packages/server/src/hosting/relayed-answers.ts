import type { AnswerDelta } from '@conv/core';
import type { Event } from '@conv/core/events';
import type { Platform, Timer } from '@conv/core/platform';
import { sessionSocket, type SessionFrame } from '@conv/openhands/sockets';
import type { RawData } from 'ws';

import type { LiveConversation, LiveSubscriber } from './live-conversation.ts';
import { SESSION } from '../auth/principal.ts';
import type { Peers } from '../ownership/peers.ts';

/** The place of a run: the server with this URL, or this process by now. */
export type RunPlace =
  | { readonly url: string }
  | { readonly conversation: Pick<LiveConversation, 'events' | 'subscribe' | 'ending'> };

/** A connection to the place that is followed, until it is left or has ended by itself. */
interface Connection {
  readonly leave: () => void;
}

export interface RelayedAnswersDeps {
  readonly platform: Pick<Platform, 'setTimer'>;
  /** The conversation as it is read here. */
  readonly conversation: Pick<LiveConversation, 'id' | 'events' | 'fields'>;
  /** Returns the place of the run; `undefined` while it is unknown. */
  readonly place: () => RunPlace | undefined;
  readonly peers: Pick<Peers, 'headersFor'>;
  readonly told: Pick<LiveSubscriber, 'onToken' | 'onAnswerAborted' | 'onOutput'>;
}

/** Milliseconds. */
const HANDSHAKE = 3000;
const RETRY = 1000;
const RETRY_AT_REST = 15_000;

/** The number of events that were read here last whose pieces may still be on their way. */
const KNOWN = 256;

/**
 * Shows a model's answer, and the output of its tools, piece by piece in a conversation that another server runs, by following that
 * server. It follows between
 * runs too, because a model streams only while a client listens. Pieces come after the events that existed when their answer
 * began, however late those events are read here, and none comes after the event of its answer, which may be read first. Best effort: a missed piece is in
 * the answer's event.
 */
export class RelayedAnswers {
  readonly #deps: RelayedAnswersDeps;
  /** The place that is followed, or was tried last. */
  #place: RunPlace | undefined;
  #connection: Connection | undefined;
  #retry: Timer | undefined;
  /** The last event before the answer that is arriving. */
  #anchor = -1;
  /** Calls held back until the events up to their anchor have been read. */
  #held: { readonly anchor: number; readonly tell: () => void }[] = [];
  /** The ids of the events that were read here last. */
  readonly #read = new Set<string>();
  #closed = false;

  constructor(deps: RelayedAnswersDeps) {
    this.#deps = deps;
    this.look();
  }

  /** Called when the conversation has changed in the log, with the events that were read. */
  look(events: readonly Pick<Event, 'id'>[] = []): void {
    const { conversation, place } = this.#deps;
    for (const { id } of events) this.#read.add(id);
    for (const id of this.#read) if (this.#read.size > KNOWN) this.#read.delete(id);
    while (this.#held[0] && this.#held[0].anchor < conversation.events.length) this.#held.shift()?.tell();
    const now = this.#closed ? undefined : place();
    const isFollowing = this.#connection !== undefined || this.#retry !== undefined;
    if (now && isSame(now, this.#place) && isFollowing) return;
    // the owner is not always known; until it is, the last known owner is followed
    if (!now && !this.#closed && isFollowing) return;
    this.#leave();
    if (!this.#closed) this.#listen(now);
  }

  close(): void {
    this.#closed = true;
    this.#leave();
  }

  #listen(place: RunPlace | undefined): void {
    const { platform, conversation } = this.#deps;
    const isRunning = conversation.fields.executionStatus === 'running';
    const again = (): void => {
      this.#retry = undefined;
      this.look();
    };
    // the next owner is known only a moment after it has the conversation
    this.#retry = platform.setTimer(isRunning ? RETRY : RETRY_AT_REST, again, { background: true });
    this.#place = place;
    if (!place) return;
    // best effort: when it fails the retry tries again
    if ('url' in place) this.#connect(place).catch(() => {});
    else this.#listenHere(place.conversation);
  }

  #listenHere(conversation: Extract<RunPlace, { conversation: unknown }>['conversation']): void {
    const { told } = this.#deps;
    const here = conversation.subscribe({
      onToken: (delta) => {
        if (delta.order === 0) this.#anchor = conversation.events.length - 1;
        this.#tell(delta.eventId, () => told.onToken?.(delta));
      },
      onOutput: (output) => told.onOutput?.(output),
      onAnswerAborted: (id, reason) => this.#tell(id, () => told.onAnswerAborted?.(id, reason)),
    });
    const connection = { leave: () => here.unsubscribe() };
    this.#connection = connection;
    const ended = (): void => this.#lose(connection);
    conversation.ending.whenOver(ended);
  }

  async #connect(place: RunPlace & { readonly url: string }): Promise<void> {
    const { WebSocket: Socket } = await import('ws');
    // the place may have changed meanwhile, or may be followed already
    if (this.#place !== place || this.#connection || this.#closed) return;
    const { url: at } = place;
    const { peers, conversation } = this.#deps;
    const path = `/sockets/session/${conversation.id}`;
    const socket = new Socket(at.replace(/^http/, 'ws') + path, {
      // this socket only listens
      headers: peers.headersFor(at, { method: 'GET', path }, SESSION),
      handshakeTimeout: HANDSHAKE,
      perMessageDeflate: false,
    });
    const connection = { leave: () => socket.terminate() };
    this.#connection = connection;
    socket.on('error', () => {});
    socket.on('close', () => this.#lose(connection));
    socket.on('message', (data) => {
      if (this.#connection === connection) this.#take(frameOf(data));
    });
  }

  /** Looks for the next place after a connection has ended by itself. */
  #lose(connection: Connection): void {
    if (this.#connection !== connection) return;
    this.#connection = undefined;
    this.look();
  }

  #leave(): void {
    this.#retry?.cancel();
    this.#retry = undefined;
    this.#held = [];
    const connection = this.#connection;
    this.#connection = undefined;
    connection?.leave();
  }

  #take(frame: SessionFrame | undefined): void {
    const { told } = this.#deps;
    if (frame?.type === 'item_started') this.#anchor = frame.anchor_seq ?? -1;
    if (frame?.type === 'delta') this.#tell(frame.item_id, () => told.onToken?.(toDelta(frame)));
    if (frame?.type === 'tool_output') told.onOutput?.({ toolCallId: frame.tool_call_id, text: frame.content });
    if (frame?.type === 'item_aborted')
      this.#tell(frame.item_id, () => told.onAnswerAborted?.(frame.item_id, frame.reason as 'cancelled' | 'failed'));
  }

  /** Tells something of an answer when the events before it have been read; nothing when its own event has. */
  #tell(answer: string, told: () => void): void {
    const tell = (): void => void (this.#read.has(answer) || told());
    const isDue = this.#held.length === 0 && this.#anchor < this.#deps.conversation.events.length;
    if (isDue) tell();
    else this.#held.push({ anchor: this.#anchor, tell });
  }
}

function isSame(one: RunPlace, other: RunPlace | undefined): boolean {
  if (!other) return false;
  if ('url' in one) return 'url' in other && one.url === other.url;
  return 'conversation' in other && one.conversation === other.conversation;
}

function toDelta(frame: Extract<SessionFrame, { type: 'delta' }>): AnswerDelta {
  const { item_id: eventId, attempt, order, kind, content: text } = frame;
  return { eventId, attempt, order, kind, text };
}

const HEARD: ReadonlySet<unknown> = new Set(['item_started', 'delta', 'item_aborted', 'tool_output']);

/** Returns a frame with pieces of answers or output; `undefined` for any other frame, because events are read from the log. */
function frameOf(data: RawData): SessionFrame | undefined {
  try {
    const frame: unknown = JSON.parse((data as Buffer).toString());
    const { type } = Object(frame) as { readonly type?: unknown };
    return HEARD.has(type) ? sessionSocket.serverFrame.safeParse(frame).data : undefined;
  } catch {
    return undefined;
  }
}
