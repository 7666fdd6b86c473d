import { systemPlatform, type Platform, type Timer } from '../../src/platform/index.ts';

/** A platform whose time passes when a test says so. */
export class ManualPlatform implements Platform {
  #time = 0;
  #ids = 0;
  readonly #timers = new Map<Timer, { readonly at: number; readonly work: () => void }>();

  /** The number of timers that wait. */
  get waiting(): number {
    return this.#timers.size;
  }

  readonly now = (): number => this.#time;
  readonly monotonic = (): number => this.#time;
  readonly nextTurn: Platform['nextTurn'] = systemPlatform.nextTurn;
  readonly random = (): number => 0.5;
  readonly id = (): string => `00000000-0000-4000-8000-${String(++this.#ids).padStart(12, '0')}`;

  readonly setTimer = (milliseconds: number, work: () => void): Timer => {
    const cancel = (): void => void this.#timers.delete(timer);
    const timer = { cancel, [Symbol.dispose]: cancel };
    this.#timers.set(timer, { at: this.#time + milliseconds, work });
    return timer;
  };

  /** Lets time pass and the timers fire that become due, the earliest first. */
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
