import { systemPlatform, type Platform, type Timer } from '@conv/core/platform';

/** A platform whose time passes when a test says so. Ids and turns of the event loop come from the host, random numbers are 0.5. */
export class ManualPlatform implements Platform {
  #time: number;
  readonly #timers = new Map<Timer, { readonly at: number; readonly work: () => void }>();

  /** Takes the time at which it begins, in milliseconds since the epoch. Default 0. */
  constructor(time = 0) {
    this.#time = time;
  }

  /** The milliseconds until each waiting timer fires, in the order in which the timers were set. */
  get waits(): readonly number[] {
    return [...this.#timers.values()].map(({ at }) => at - this.#time);
  }

  readonly now = (): number => this.#time;
  readonly monotonic = (): number => this.#time;
  readonly nextTurn: Platform['nextTurn'] = systemPlatform.nextTurn;
  readonly random = (): number => 0.5;
  readonly id: Platform['id'] = systemPlatform.id;

  readonly setTimer = (milliseconds: number, work: () => void): Timer => {
    const cancel = (): void => void this.#timers.delete(timer);
    const timer = { cancel, [Symbol.dispose]: cancel };
    this.#timers.set(timer, { at: this.#time + milliseconds, work });
    return timer;
  };

  /** Lets other work go on until a timer waits that fires after so many milliseconds. */
  async untilWaiting(milliseconds: number): Promise<void> {
    while (!this.waits.includes(milliseconds)) await this.nextTurn();
  }

  /** Lets time pass, and the timers fire that become due, the earliest first. */
  pass(milliseconds: number): void {
    const end = this.#time + milliseconds;
    for (;;) {
      const [next] = [...this.#timers].sort(([, one], [, other]) => one.at - other.at);
      if (!next || next[1].at > end) break;
      this.#timers.delete(next[0]);
      this.#time = next[1].at;
      next[1].work();
    }
    this.#time = end;
  }
}
