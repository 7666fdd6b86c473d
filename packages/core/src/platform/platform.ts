/** A timer that was set. Cancelling it again, or after it fired, does nothing. */
export interface Timer extends Disposable {
  /** Stops the timer. */
  cancel(): void;
}

/**
 * The clocks, timers, random numbers and ids of the host. Packages get all of them from an object like this one, which factories
 * take as the option `platform` and hand down, so that a simulation or a test can give its own. Functions that need no more take
 * a part of it, such as `Pick<Platform, 'now'>`. No method depends on `this`.
 *
 * Keys, nonces and access tokens are no part of it: they come from `secureRandom`, whatever the platform is.
 */
export interface Platform {
  /** Returns the wall clock in milliseconds since the epoch. It may be set back. */
  readonly now: () => number;
  /**
   * Returns milliseconds since some moment; they never fall, so that durations are measured with them. In Node all processes of one
   * boot share the moment.
   */
  readonly monotonic: () => number;
  /**
   * Calls `work` once, asynchronously, after the given milliseconds. A number below 0 counts as 0; with `Infinity` the timer
   * never fires. Errors that `work` throws are uncaught. A `background` timer alone does not keep the process running; default
   * false, and no difference in browsers.
   */
  readonly setTimer: (
    milliseconds: number,
    work: () => void,
    options?: { readonly background?: boolean | undefined },
  ) => Timer;
  /** Resolves after other work of the event loop has had its turn. */
  readonly nextTurn: () => Promise<void>;
  /** Returns a number from 0 up to 1, for jitter. Never for keys. */
  readonly random: () => number;
  /** Returns a new id: a UUID in lower case. */
  readonly id: () => string;
}

/** Returns the time of a platform in UTC, ISO 8601. */
export function isoNow(platform: Pick<Platform, 'now'>): string {
  return new Date(platform.now()).toISOString();
}
