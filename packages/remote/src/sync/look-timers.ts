/** Calls back once after a while. An alarm that is set stays as it is when it is set again. */
class Alarm {
  readonly #ring: () => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(ring: () => void) {
    this.#ring = ring;
  }

  set(milliseconds: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#ring();
    }, milliseconds);
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

/** Callbacks of {@link LookTimers}. */
export interface LookCallbacks {
  /** It is time to look: as planned, or because no frame came for a while. */
  readonly look: () => void;
  /** The wait that {@link LookTimers.doubt} began is over. */
  readonly doubted: () => void;
}

/** Milliseconds after which REST is asked when a socket repeats events and does not come to the state. */
const DOUBT = 1_000;

/** The timers of a follower. */
export class LookTimers {
  readonly #later: Alarm;
  readonly #doubt: Alarm;
  readonly #look: () => void;
  #silence: NodeJS.Timeout | undefined;
  #heard = true;

  constructor({ look, doubted }: LookCallbacks) {
    this.#look = look;
    this.#later = new Alarm(look);
    this.#doubt = new Alarm(doubted);
  }

  /** Looks whenever no frame came for an interval, because a lost frame may have been the last one. Does not keep the process alive. */
  watchSilence(interval: number): void {
    this.#silence = setInterval(() => {
      if (!this.#heard) this.#look();
      this.#heard = false;
    }, interval);
    this.#silence.unref();
  }

  /** Notes that a frame came. */
  heard(): void {
    this.#heard = true;
  }

  /** Looks after so many milliseconds, unless an earlier call has planned a look. */
  lookLater(milliseconds: number): void {
    this.#later.set(milliseconds);
  }

  /** Begins to wait for the state that a socket sends behind repeated events. */
  doubt(): void {
    this.#doubt.set(DOUBT);
  }

  /** Stops all timers. */
  stop(): void {
    this.#later.stop();
    this.#doubt.stop();
    clearInterval(this.#silence);
  }
}
