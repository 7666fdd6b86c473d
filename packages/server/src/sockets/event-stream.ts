import type { AnswerDelta } from '@conv/core';
import type { Timer } from '@conv/core/platform';
import { numbered, type FrameReceiver, type ResponseFrames } from '@conv/turns';

import { abortedFrames, type AnswerItem, type ItemPiece } from './answer-items.ts';
import type { ConversationFeed, FeedListener } from './conversation-feed.ts';
import { EventFrames, type ControlFrames, type TransientFrames } from './event-frames.ts';

/** Number of events read at a time. */
const PAGE = 100;

/** Bytes that may wait for one reader. Above, the reader gets its events from the log. */
const MOST_WAITING = 1024 * 1024;

/** Milliseconds between two heartbeats while nothing happens. */
const HEARTBEAT_INTERVAL = 15_000;

const HEARTBEAT = Buffer.from(':\n\n');

/** Tells an EventSource to come back after a second. */
const BEGINNING = Buffer.from('retry: 1000\n\n');

/**
 * The source of the frames of a stream. `behind`: the log, when the client asks. `reading`: the log, which is being read. `live`: the feed.
 * `over`: there are no more frames.
 *
 *     behind ── the client asks ──► reading ── all is read ──► live ── too much waits ──► behind        any of these ── leave ──► over
 */
type StreamPhase = 'behind' | 'reading' | 'live' | 'over';

interface Waiting {
  readonly frame: Buffer;
  /** The number of its event, of a stored event. */
  readonly seq: number | undefined;
}

export interface EventStreamOptions {
  /** The number of the first event to send. */
  readonly from: number;
  /** Ends the stream. */
  readonly ended: AbortSignal;
  /** False to end when the client has caught up. Default true. */
  readonly follow?: boolean;
}

/**
 * A conversation as server-sent events, read at the pace of the client. While the client is behind, its events come from the log and
 * nothing waits for it; pieces of answers are for clients that have caught up. The switch is atomic, so no event is missing, none
 * comes twice, and all come in order (P11). The state comes after every event that the log had at the beginning, also where the feed is behind the log.
 *
 * Frames of a client that takes them go to it at once, in the turn of the feed, as the frames of sockets do.
 */
export class EventStream implements FeedListener, ResponseFrames {
  readonly areShared = true;
  readonly #feed: ConversationFeed;
  readonly #options: EventStreamOptions;
  /** The number of the last event of the log at the beginning. */
  #through = -1;
  #next: number;
  #phase: StreamPhase = 'behind';
  /** True if the client takes what comes. */
  #isAsking = false;
  #waiting: Waiting[] = [];
  #bytes = 0;
  /** The answer that this client has seen begin and not end. */
  #item: AnswerItem | undefined;
  #receiver: FrameReceiver | undefined;
  /** When the last frame was sent, in milliseconds. */
  #sent = 0;
  #heartbeat: Timer | undefined;
  readonly #end = (): void => this.#finish();
  #room: (() => void) | undefined;

  constructor(feed: ConversationFeed, options: EventStreamOptions) {
    this.#feed = feed;
    this.#options = options;
    this.#next = options.from;
  }

  get wantsPieces(): boolean {
    return true;
  }

  event(frames: EventFrames): void {
    if (this.#item?.id === frames.event.id) this.#item = undefined;
    // the client has newer events than the feed, or got them from the log
    if (this.#phase !== 'live' || frames.seq < this.#next) return;
    this.#send(frames.sent, frames.seq);
  }

  change(frames: TransientFrames): void {
    this.snapshot(frames);
  }

  snapshot({ sent }: TransientFrames): void {
    this.#send(sent);
  }

  /** Does nothing, because the state came when the client had caught up. */
  snapshotAgain(): void {}

  piece(_: AnswerDelta, piece: ItemPiece | undefined): void {
    if (!piece || this.#phase !== 'live') return;
    const { item, delta, isFirst } = piece;
    if (this.#item !== item) {
      // the beginning of this answer was missed; it comes as an event
      if (!isFirst) return;
      this.#item = item;
      this.#send(item.started.sent);
    }
    this.#send(delta.sent);
  }

  aborted(eventId: string, reason: 'cancelled' | 'failed'): void {
    if (this.#item?.id === eventId) this.#withdraw(reason);
  }

  /** Does nothing, because the signal of the stream ends it. */
  ended(): void {}

  output({ sent }: ControlFrames): void {
    this.#send(sent);
  }

  /** Follows from now on. */
  begin(receiver: FrameReceiver): void {
    const { ended } = this.#options;
    this.#receiver = receiver;
    this.#through = this.#feed.conversation.events.length - 1;
    this.#feed.add(this);
    this.#wait(BEGINNING);
    this.#beatIn(HEARTBEAT_INTERVAL);
    if (ended.aborted) this.#finish();
    else ended.addEventListener('abort', this.#end, { once: true });
  }

  /** Gives the client what waits. While the client does not ask, nothing more is read from the log. */
  more(): void {
    if (this.#phase === 'over') return;
    this.#isAsking = true;
    this.#giveWaiting();
    if (!this.#isAsking) return;
    this.#room?.();
    if (this.#phase === 'live') this.#endIfTold();
    else if (this.#phase === 'behind') void this.#read();
  }

  async leave(): Promise<void> {
    if (this.#phase === 'over') return;
    this.#phase = 'over';
    this.#isAsking = false;
    this.#heartbeat?.cancel();
    this.#options.ended.removeEventListener('abort', this.#end);
    this.#feed.remove(this);
    this.#room?.();
  }

  #finish(failure?: { readonly error: unknown }): void {
    if (this.#phase === 'over') return;
    void this.leave();
    this.#receiver?.end(failure);
  }

  /** Sends the events of the log that the client lacks, then the state. From then on it gets what the feed publishes. */
  async #read(): Promise<void> {
    this.#phase = 'reading';
    try {
      await this.#catchUp();
    } catch (error) {
      this.#finish({ error });
    }
    this.#endIfTold();
  }

  /** Ends a stream that is not followed when everything was given. */
  #endIfTold(): void {
    if (this.#options.follow === false && this.#phase === 'live' && this.#waiting.length === 0) this.#finish();
  }

  async #catchUp(): Promise<void> {
    const { conversation, platform } = this.#feed;
    while (this.#next < this.#feed.position || this.#next <= this.#through) {
      const to = Math.min(this.#next + PAGE, Math.max(this.#feed.position, this.#through + 1));
      for (const { event, index } of await numbered(conversation.events, this.#next, to)) {
        while (!this.#isAsking && this.#phase === 'reading') await this.#untilAsked();
        if (this.#phase !== 'reading') return;
        this.#give({ frame: new EventFrames(event, index).sent, seq: index });
      }
      this.#next = to;
      // let other work run during the replay of a long log
      await platform.nextTurn();
      if (this.#phase !== 'reading') return;
    }
    // no wait between the look at the position and the switch: an event in between would be missing
    this.#phase = 'live';
    this.snapshot(this.#feed.fullState());
  }

  async #untilAsked(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#room = resolve;
    await promise;
    this.#room = undefined;
  }

  #send(frame: Buffer, seq?: number): void {
    if (this.#phase !== 'live') return;
    if (this.#isAsking) return this.#give({ frame, seq });
    this.#wait(frame, seq);
    if (this.#bytes > MOST_WAITING) this.#fallBehind();
  }

  #wait(frame: Buffer, seq?: number): void {
    this.#bytes += frame.length;
    this.#waiting.push({ frame, seq });
  }

  /** Leaves what waits to the log; an answer in progress is void for this client until its event comes. */
  #fallBehind(): void {
    this.#waiting = [];
    this.#bytes = 0;
    if (this.#item) this.#withdraw('failed');
    this.#phase = 'behind';
  }

  #withdraw(reason: 'cancelled' | 'failed'): void {
    if (!this.#item) return;
    const frame = abortedFrames(this.#item, reason).sent;
    this.#item = undefined;
    if (this.#isAsking) this.#give({ frame, seq: undefined });
    else this.#wait(frame);
  }

  #giveWaiting(): void {
    while (this.#isAsking) {
      const waiting = this.#waiting.shift();
      if (!waiting) return;
      this.#bytes -= waiting.frame.length;
      this.#give(waiting);
    }
  }

  #give({ frame, seq }: Waiting): void {
    if (seq !== undefined) this.#next = seq + 1;
    this.#sent = this.#feed.platform.monotonic();
    // the client may ask while it takes
    this.#isAsking = false;
    if (this.#receiver?.take(frame) === true) this.#isAsking = true;
  }

  /** Looks for a heartbeat later: frames set no timer each. */
  #beatIn(wait: number): void {
    const { platform } = this.#feed;
    const beat = (): void => {
      const quiet = platform.monotonic() - this.#sent;
      if (quiet < HEARTBEAT_INTERVAL) return this.#beatIn(HEARTBEAT_INTERVAL - quiet);
      if (this.#isAsking) this.#give({ frame: HEARTBEAT, seq: undefined });
      if (this.#phase !== 'over') this.#beatIn(HEARTBEAT_INTERVAL);
    };
    this.#heartbeat = platform.setTimer(wait, beat, { background: true });
  }
}
