import { timers, type Platform } from '@conv/core/platform';
import { isLlmError } from './llm-error.ts';

/** Limits of the retries of a failed model call. Delays are random up to a bound that doubles each time. */
export interface RetryOptions {
  /** The maximum number of attempts. Default 5. */
  readonly attempts?: number;
  /** The bound of the first wait, in milliseconds. Default 1000. */
  readonly minDelay?: number;
  /** The maximum delay in milliseconds; a provider that asks for a longer delay ends the retries. Default 64000. */
  readonly maxDelay?: number;
  /** Returns a number from 0 up to 1. Default: a random number of the agent's platform. */
  readonly random?: () => number;
  /** Called before each wait. Errors that it throws are ignored. Default: not called. */
  readonly onRetry?: (retry: Retry) => void;
  /** Resolves after the milliseconds; rejects when aborted. Default: a timer of the agent's platform. */
  readonly sleep?: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/** A model call that is about to be retried. */
export interface Retry {
  /** The number of the failed attempt, from 1. */
  readonly attempt: number;
  /** The maximum number of attempts. */
  readonly attempts: number;
  /** Milliseconds until the next attempt. */
  readonly delay: number;
  /** The error of the attempt; keys are masked in its message. */
  readonly error: unknown;
}

/** Runs `call` again after each transient error. Rejects with the last error, or with `signal.reason`. */
export async function withRetries<T>(
  call: (attempt: number) => Promise<T>,
  { platform, signal }: { readonly platform: Platform; readonly signal: AbortSignal },
  options: RetryOptions = {},
): Promise<T> {
  const { attempts = 5, random = platform.random } = options;
  const { sleep = (milliseconds) => timers.sleep(platform, milliseconds, { signal }) } = options;
  for (let attempt = 1; ; attempt += 1) {
    signal.throwIfAborted();
    try {
      return await call(attempt);
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      const delay = attempt < attempts ? delayBefore(attempt, error, { ...options, random }) : undefined;
      if (delay === undefined) throw error;
      tell(options, { attempt, attempts, delay, error });
      await sleep(delay, signal);
    }
  }
}

function tell({ onRetry }: RetryOptions, retry: Retry): void {
  try {
    onRetry?.(retry);
  } catch {
    // an observer of a call must not be able to fail it
  }
}

function delayBefore(
  attempt: number,
  error: unknown,
  { minDelay = 1000, maxDelay = 64_000, random }: RetryOptions & { readonly random: () => number },
): number | undefined {
  if (!isLlmError(error) || !error.retryable) return undefined;
  const jittered = random() * Math.min(maxDelay, minDelay * 2 ** (attempt - 1));
  if (error.retryAfter === undefined) return jittered;
  // A client that comes back earlier than asked is refused again, and a client that waits for hours looks dead.
  return error.retryAfter > maxDelay ? undefined : error.retryAfter + random() * minDelay;
}
