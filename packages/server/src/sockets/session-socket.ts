import type { AnswerDelta } from '@conv/core';

import { abortedFrames, type AnswerItem, type ItemPiece } from './answer-items.ts';
import type { ConversationFeed, FeedListener } from './conversation-feed.ts';
import { controlFrame, type ControlFrames, type EventFrames, type TransientFrames } from './event-frames.ts';
import { closeAtEnd } from './open-feed.ts';
import { SocketCursor } from './socket-cursor.ts';
import type { SocketConnection } from './socket-connection.ts';

/**
 * A socket of `/sockets/session`: events with their numbers, after a frame that tells which events are replayed. A client that
 * reconnects with the last number it saw catches up: it misses no event and sees none twice (P11).
 */
export class SessionSocket implements FeedListener {
  readonly #feed: ConversationFeed;
  readonly #connection: SocketConnection;
  #cursor: SocketCursor | undefined;
  /** The answer that this client has seen begin and not end. */
  #item: AnswerItem | undefined;

  constructor(feed: ConversationFeed, connection: SocketConnection) {
    this.#feed = feed;
    this.#connection = connection;
  }

  get wantsPieces(): boolean {
    return true;
  }

  /**
   * Replays the events after `after`, sends the state and continues with new events. Resolves when it has caught up.
   * @param after the number of the last event that the client has; -1 for none, `undefined` to replay nothing
   */
  async begin(after: number | undefined): Promise<void> {
    const { conversation } = this.#feed;
    // a client that comes from another server may know newer events than this server has read
    if (after !== undefined && after >= conversation.events.length) await conversation.refresh();
    const end = conversation.events.length;
    const isAhead = after !== undefined && after >= end;
    const from = after === undefined || isAhead ? end : after + 1;
    const send = ({ durable }: EventFrames): void => void this.#connection.send(durable);
    const cursor = new SocketCursor({ feed: this.#feed, connection: this.#connection, send }, from);
    this.#cursor = cursor;
    this.#feed.add(this);
    const through = end === 0 ? null : end - 1;
    this.#connection.send(controlFrame({ type: 'sync', from_seq: after ?? null, through_seq: through }));
    if (isAhead && after > end - 1)
      this.fail('cursor_ahead', `The log ends before event ${after}; ask again without after.`);
    if (await cursor.catchUp(end - 1)) this.snapshot(this.#feed.fullState());
  }

  event(frames: EventFrames): void {
    if (this.#item?.id === frames.event.id) this.#item = undefined;
    this.#cursor?.event(frames);
  }

  change(frames: TransientFrames): void {
    this.snapshot(frames);
  }

  snapshot({ transient }: TransientFrames): void {
    if (this.#cursor?.live) this.#connection.send(transient);
  }

  /** Does nothing, because clients of this socket ask for the status after they have started a run. */
  snapshotAgain(): void {}

  piece(_: AnswerDelta, piece: ItemPiece | undefined): void {
    if (!piece || !this.#cursor?.live) return;
    const { item, delta } = piece;
    if (this.#item !== item && !this.#start(piece)) return;
    this.#connection.send(delta.plain);
  }

  aborted(eventId: string, reason: 'cancelled' | 'failed'): void {
    if (this.#item?.id !== eventId) return;
    this.#connection.send(abortedFrames(this.#item, reason).plain);
    this.#item = undefined;
  }

  output({ plain }: ControlFrames): void {
    // dropped for a slow client, because the result of the call has all output
    if (this.#cursor?.live && !this.#connection.isBehind) this.#connection.send(plain);
  }

  ended(reason: unknown): void {
    closeAtEnd(this.#connection, reason);
  }

  fail(code: string, detail: string): void {
    this.#connection.send(controlFrame({ type: 'error', code, detail }));
  }

  /**
   * Announces an answer with its first piece. Returns false for an answer that had begun before the client came; it appears as an
   * event only.
   */
  #start({ item, isFirst }: ItemPiece): boolean {
    if (!isFirst) return false;
    this.#item = item;
    this.#connection.send(item.started.plain);
    return true;
  }
}
