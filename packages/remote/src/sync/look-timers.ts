import { timers, type Platform, type Timer } from '@conv/core/platform';

/** A timer that calls back once. Setting it again while it runs changes nothing. */
class Alarm {
  readonly #platform: Platform;
  readonly #ring: () => void;
  #timer: Timer | undefined;

  constructor(platform: Platform, ring: () => void) {
    this.#platform = platform;
    this.#ring = ring;
  }

  set(milliseconds: number): void {
    this.#timer ??= this.#platform.setTimer(milliseconds, () => {
      this.#timer = undefined;
      this.#ring();
    });
  }

  stop(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }
}

/** Milliseconds after which REST is asked if a socket repeats events without sending the state that should follow. */
const DOUBT = 1_000;

export class LookTimers {
  readonly #platform: Platform;
  readonly #later: Alarm;
  readonly #doubt: Alarm;
  readonly #look: () => void;
  #silence: Timer | undefined;
  #heard = true;

  /** Calls `look` as planned or after a silence, and `doubted` when the wait of {@link LookTimers.doubt} is over. */
  constructor(platform: Platform, look: () => void, doubted: () => void) {
    this.#platform = platform;
    this.#look = look;
    this.#later = new Alarm(platform, look);
    this.#doubt = new Alarm(platform, doubted);
  }

  /** Looks whenever no frame came for an interval, because a lost frame may have been the last one. Does not keep the process alive. */
  watchSilence(interval: number): void {
    const look = (): void => {
      if (!this.#heard) this.#look();
      this.#heard = false;
    };
    this.#silence = timers.every(this.#platform, interval, look, { background: true });
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

  stop(): void {
    this.#later.stop();
    this.#doubt.stop();
    this.#silence?.cancel();
  }
}
