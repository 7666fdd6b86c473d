import type { OpenHandsMirror, MirrorEvent } from './openhands-mirror.ts';
import type { MirrorWriter } from './mirror-writer.ts';

const EVENTS_PER_TURN = 16;
/** The number of events that are read from the log at once: a commit of many events is read once, and not in each turn. */
const EVENTS_PER_READING = 512;

/** Writes event files that are missing or have other content, beside the work of the journal. */
export class MirrorRepair {
  /** The files of all events before this one are known to be there. */
  reached: number;
  readonly #to: number;
  /** Resolves when the repair is complete or has ended early. */
  readonly done: Promise<void>;

  /** Starts with event `from`, and continues to before `to` as long as `goOn` returns true. */
  constructor(
    writer: MirrorWriter,
    events: (from: number, to: number) => AsyncIterable<MirrorEvent>,
    from: number,
    to: number,
    goOn: () => boolean,
  ) {
    this.reached = from;
    this.#to = to;
    this.done = from < to ? this.#run(writer, events, goOn) : Promise.resolve();
  }

  /** True if the repair has come to its end. */
  get complete(): boolean {
    return this.reached >= this.#to;
  }

  async #run(
    writer: MirrorWriter,
    events: (from: number, to: number) => AsyncIterable<MirrorEvent>,
    goOn: () => boolean,
  ): Promise<void> {
    let failed = false;
    while (!this.complete && goOn() && !failed) {
      // `inTurn` resolves as well if the work failed or was not done: only the work itself can say that it succeeded.
      const next = Math.min(this.reached + EVENTS_PER_READING, this.#to);
      failed = true;
      await writer.inTurn(async (mirror: OpenHandsMirror) => {
        let count = 0;
        for await (const event of events(this.reached, next)) {
          mirror.repairEventNow(event);
          if (++count % EVENTS_PER_TURN === 0 && !(await writer.pause())) return;
        }
        this.reached = next;
        failed = false;
        await mirror.platform.nextTurn();
      });
    }
  }
}
