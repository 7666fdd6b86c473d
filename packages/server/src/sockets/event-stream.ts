import type { AnswerDelta } from '@conv/core';
import { numbered } from '@conv/turns';

import { abortedFrame, type AnswerItem, type ItemPiece } from './answer-items.ts';
import type { ConversationFeed, FeedListener } from './conversation-feed.ts';
import { EventFrames, serverSent, type TransientFrames } from './event-frames.ts';

/** Number of events read at a time. */
const PAGE = 100;

/** Bytes that may wait for one reader. Above, the reader gets its events from the log. */
const MOST_WAITING = 1024 * 1024;

/** Milliseconds between two heartbeats while nothing happens. */
const HEARTBEAT_INTERVAL = 15_000;

const HEARTBEAT = Buffer.from(':\n\n');

/** Tells an EventSource to come back after a second. */
const BEGINNING = Buffer.from('retry: 1000\n\n');

interface Waiting {
  readonly frame: Buffer;
  /** The number of its event, of a stored event. */
  readonly seq?: number;
}

/**
 * A conversation as server-sent events, read at the pace of the client. While the client is behind, its events come from the log and
 * nothing waits for it; pieces of answers are for clients that have caught up. The switch is atomic, so no event is missing, none
 * comes twice, and all come in order (P11).
 */
export class EventStream implements FeedListener {
  readonly #feed: ConversationFeed;
  #next: number;
  #behind = true;
  #waiting: Waiting[] = [];
  #bytes = 0;
  /** The answer that this client has seen begin and not end. */
  #item: AnswerItem | undefined;
  #wake: () => void = () => undefined;

  /** @param from the number of the first event to send */
  constructor(feed: ConversationFeed, from: number) {
    this.#feed = feed;
    this.#next = from;
  }

  get wantsPieces(): boolean {
    return true;
  }

  event(frames: EventFrames): void {
    if (this.#item?.id === frames.event.id) this.#item = undefined;
    // the client has newer events than the feed, or got them from the log
    if (frames.seq < this.#next) return;
    this.#send(frames.sent, frames.seq);
  }

  change(frames: TransientFrames): void {
    this.snapshot(frames);
  }

  snapshot({ plain }: TransientFrames): void {
    this.#send(serverSent('state', plain.toString()));
  }

  /** Does nothing, because the state came when the client had caught up. */
  snapshotAgain(): void {}

  piece(_: AnswerDelta, piece: ItemPiece | undefined): void {
    if (!piece || this.#behind) return;
    const { item, delta, isFirst } = piece;
    if (this.#item !== item) {
      // the beginning of this answer was missed; it comes as an event
      if (!isFirst) return;
      this.#item = item;
      this.#send(serverSent('item_started', item.started.toString()));
    }
    this.#send(serverSent('delta', delta.toString()));
  }

  aborted(eventId: string, reason: 'cancelled' | 'failed'): void {
    if (this.#item?.id === eventId) this.#withdraw(reason);
  }

  /** Does nothing, because the signal of {@link EventStream.frames} ends the stream. */
  ended(): void {}

  output(frame: Buffer): void {
    this.#send(serverSent('tool_output', frame.toString()));
  }

  /**
   * Returns the frames to send, until `ended` is aborted, or without `follow` until the client has caught up. The state comes after every
   * event that the log had at the beginning, also where the feed is behind the log. Nothing more is read from the log while the
   * client does not read.
   */
  async *frames(ended: AbortSignal, follow = true): AsyncGenerator<Buffer> {
    const wake = (): void => this.#wake();
    ended.addEventListener('abort', wake, { once: true });
    this.#feed.add(this);
    const through = this.#feed.conversation.events.length - 1;
    try {
      yield BEGINNING;
      while (!ended.aborted) {
        if (this.#behind) yield* this.#fromLog(through, ended);
        const waiting = this.#waiting.shift();
        if (waiting) yield this.#taken(waiting);
        else if (!follow && !this.#behind) return;
        else if (!ended.aborted && !this.#behind && (await this.#woken()) === 'late') yield HEARTBEAT;
      }
    } finally {
      ended.removeEventListener('abort', wake);
      this.#feed.remove(this);
    }
  }

  async *#fromLog(through: number, ended: AbortSignal): AsyncGenerator<Buffer> {
    const { conversation } = this.#feed;
    for (const { frame } of this.#waiting.splice(0)) yield frame;
    while (this.#next < this.#feed.position || this.#next <= through) {
      const to = Math.min(this.#next + PAGE, Math.max(this.#feed.position, through + 1));
      for (const { event, index } of await numbered(conversation.events, this.#next, to)) {
        if (ended.aborted) return;
        yield new EventFrames(event, index).sent;
      }
      this.#next = to;
      // let other work run during the replay of a long log
      await this.#feed.platform.nextTurn();
    }
    this.#behind = false;
    this.#bytes = 0;
    this.snapshot(this.#feed.fullState());
  }

  #send(frame: Buffer, seq?: number): void {
    if (this.#behind) return;
    this.#bytes += frame.length;
    this.#waiting.push(seq === undefined ? { frame } : { frame, seq });
    if (this.#bytes > MOST_WAITING) this.#fallBehind();
    this.#wake();
  }

  /** Leaves what waits to the log; an answer in progress is void for this client until its event comes. */
  #fallBehind(): void {
    this.#waiting = [];
    if (this.#item) this.#withdraw('failed');
    this.#behind = true;
  }

  #withdraw(reason: 'cancelled' | 'failed'): void {
    if (!this.#item) return;
    const frame = serverSent('item_aborted', abortedFrame(this.#item, reason).toString());
    this.#item = undefined;
    this.#bytes += frame.length;
    this.#waiting.push({ frame });
    this.#wake();
  }

  #taken({ frame, seq }: Waiting): Buffer {
    this.#bytes -= frame.length;
    if (seq !== undefined) this.#next = seq + 1;
    return frame;
  }

  /** Resolves when there is more to send, or with `late` when a heartbeat is due. */
  async #woken(): Promise<'more' | 'late'> {
    const { promise, resolve } = Promise.withResolvers<'more' | 'late'>();
    this.#wake = () => resolve('more');
    const { platform } = this.#feed;
    const timer = platform.setTimer(HEARTBEAT_INTERVAL, () => resolve('late'), { background: true });
    try {
      return await promise;
    } finally {
      timer.cancel();
    }
  }
}
