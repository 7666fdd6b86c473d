import type { FrameReceiver, ResponseFrames } from './response-frames.ts';
import { frameOf, type SentEvent } from './sent-event.ts';

/** The frames of an iteration for one client, which is read as the client takes them. */
export class OwnFrames implements ResponseFrames {
  readonly areShared = false;
  readonly #events: AsyncGenerator<SentEvent>;
  readonly #left = new AbortController();
  #receiver: FrameReceiver | undefined;
  #isAsked = false;
  #isReading = false;

  /** @param signal ends the events too, which say so by an error */
  constructor(events: (signal: AbortSignal) => AsyncGenerator<SentEvent>, signal: AbortSignal | undefined) {
    const left = this.#left.signal;
    this.#events = events(signal ? AbortSignal.any([left, signal]) : left);
  }

  begin(receiver: FrameReceiver): void {
    this.#receiver = receiver;
  }

  more(): void {
    this.#isAsked = true;
    if (this.#receiver && !this.#isReading) void this.#read(this.#receiver);
  }

  async leave(): Promise<void> {
    this.#left.abort();
    // an iteration that is left unread keeps its subscription
    await this.#events.return(undefined).catch(() => {});
  }

  /** Reads while the client takes. Stays at work behind the end, so that nothing more is read. */
  async #read(receiver: FrameReceiver): Promise<void> {
    this.#isReading = true;
    while (this.#isAsked) {
      const next = await this.#events.next().catch((error: unknown) => ({ error }));
      if (this.#left.signal.aborted) return;
      if ('error' in next) return receiver.end(next);
      if (next.done === true) return receiver.end();
      // the client may ask while it takes
      this.#isAsked = false;
      if (receiver.take(frameOf(next.value))) this.#isAsked = true;
    }
    this.#isReading = false;
  }
}
