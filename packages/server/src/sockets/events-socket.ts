import type { AnswerDelta } from '@conv/core';
import type { EventOfKind, KnownEvent } from '@conv/core/events';
import { isJsonObject } from '@conv/core/platform';
import { readLlm } from '@conv/openhands/descriptions';

import type { ConversationFeed, FeedListener } from './conversation-feed.ts';
import { type EventFrames, socketEvent, TransientFrames } from './event-frames.ts';
import { closeAtEnd } from './open-feed.ts';
import { SocketCursor } from './socket-cursor.ts';
import type { SocketConnection } from './socket-connection.ts';

/** The part of the log that a client wants replayed. */
export interface EventsReplay {
  /** The number of the first event to consider. */
  readonly from: number;
  /** Only events of this time or later. */
  readonly since?: string;
}

/**
 * A socket of `/sockets/events`: events without numbers. Sends the whole state, then the events to replay, then new events: in
 * log order, each event once.
 */
export class EventsSocket implements FeedListener {
  readonly #feed: ConversationFeed;
  readonly #connection: SocketConnection;
  #cursor: SocketCursor | undefined;
  #since: string | undefined;
  /** True if a state was sent to other sockets while this one was catching up. */
  #missedState = false;

  constructor(feed: ConversationFeed, connection: SocketConnection) {
    this.#feed = feed;
    this.#connection = connection;
  }

  get wantsPieces(): boolean {
    return streams(this.#feed);
  }

  /** Sends the state, replays the requested events, and continues with new events. Resolves when it has caught up. */
  async begin(replay: EventsReplay | undefined): Promise<void> {
    const { position } = this.#feed;
    const send = (frames: EventFrames): void => this.#send(frames);
    this.#cursor = new SocketCursor({ feed: this.#feed, connection: this.#connection, send }, replay?.from ?? position);
    this.#since = replay?.since;
    this.#feed.add(this);
    this.#connection.send(this.#feed.fullState().plain);
    const live = await this.#cursor.catchUp(position - 1);
    this.#since = undefined;
    if (live && this.#missedState) this.#connection.send(this.#feed.fullState().plain);
  }

  event(frames: EventFrames): void {
    this.#cursor?.event(frames);
  }

  change(frames: TransientFrames): void {
    this.snapshot(frames);
  }

  snapshot({ plain }: TransientFrames): void {
    if (this.#cursor?.live) this.#connection.send(plain);
    else this.#missedState = true;
  }

  snapshotAgain(frames: TransientFrames): void {
    this.snapshot(frames);
  }

  piece({ kind, text }: AnswerDelta): void {
    if (kind === 'tool_call' || !this.#cursor?.live || !this.wantsPieces) return;
    const said = kind === 'text' ? { content: text } : { reasoning_content: text };
    this.#show<EventOfKind<'StreamingDeltaEvent'>>({ source: 'agent', ...said, kind: 'StreamingDeltaEvent' });
  }

  /** Does nothing, because this protocol has no frame for it: clients drop the pieces at the next event. */
  aborted(): void {}

  /** Does nothing, because this protocol has no frame for output. */
  output(): void {}

  ended(reason: unknown): void {
    closeAtEnd(this.#connection, reason);
  }

  /** Tells the client that one of its frames failed. */
  fail(code: string, detail: string): void {
    this.#show<EventOfKind<'ServerErrorEvent'>>({ source: 'environment', code, detail, kind: 'ServerErrorEvent' });
  }

  /** Sends an event that is not in the log. */
  #show<E extends KnownEvent>(fields: Omit<E, 'id' | 'timestamp' | 'parent_id'>): void {
    const event = socketEvent<E>(this.#feed.platform, fields);
    this.#connection.send(new TransientFrames(event).plain);
  }

  #send({ event, plain }: EventFrames): void {
    if (this.#since !== undefined && event.timestamp < this.#since) return;
    // closing the socket over an event in a replay would make the client ask for that replay again and again
    if (plain.length <= this.#connection.maxFrame) this.#connection.send(plain);
    else this.fail('FrameTooLarge', `Event ${event.id} has ${plain.length} bytes; read it by REST.`);
  }
}

/** True if the agent is configured to stream its answers. */
function streams({ conversation }: ConversationFeed): boolean {
  const { llm } = conversation.fields.agent;
  return isJsonObject(llm) && readLlm(llm).stream === true;
}
