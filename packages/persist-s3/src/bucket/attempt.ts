import { isStoreError } from '@conv/core/store';
import { timers, type Platform } from '@conv/core/platform';
import { failureOf, fromS3Error } from './from-s3-error.ts';
import { LostAnswer } from './lost-answer.ts';

/** Limits the attempts at one request. The client may make more by itself within each. */
const ATTEMPTS = 8;
/** Pause before the second attempt, in milliseconds. Each further pause doubles, up to the longest. */
const FIRST_PAUSE = 50;
const LONGEST_PAUSE = 3000;
/** Limits the wait for one answer, in milliseconds; the client may have a shorter limit of its own. */
const TIMEOUT = 60_000;

export interface AttemptContext {
  readonly platform: Platform;
  /** Names the request and its bucket in error messages. */
  readonly subject: string;
  readonly signal: AbortSignal | undefined;
  /**
   * True if the rejection is a {@link LostAnswer} when the request may have been executed. If false, such a request counts as
   * not executed.
   */
  readonly tellsLoss: boolean;
}

/**
 * Makes a request, and repeats it while its failures are transient. Rejects with a `StoreError` when the request was certainly
 * not executed. Rejects with {@link LostAnswer} when it may have been executed, and with `signal.reason` after an abort.
 */
export async function attempt<Value>(
  { platform, subject, signal, tellsLoss }: AttemptContext,
  request: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  // Invariant: once true it stays true. A later refusal does not prove that an earlier, unanswered attempt failed.
  let mayHaveHappened = false;
  for (let count = 1; ; count++) {
    signal?.throwIfAborted();
    try {
      return await limited(platform, signal, request);
    } catch (error) {
      signal?.throwIfAborted();
      if (isStoreError(error)) throw error;
      const failure = failureOf(error);
      mayHaveHappened ||= failure.mayHaveHappened;
      if (!failure.transient || count >= ATTEMPTS) {
        const reason = fromS3Error(error, subject);
        throw tellsLoss && mayHaveHappened ? new LostAnswer(subject, reason) : reason;
      }
    }
    const longest = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (count - 1));
    // Pauses differ at random, so that requests that failed together do not meet again.
    await timers.sleep(platform, longest * (0.5 + platform.random() / 2), { signal });
  }
}

/** Makes a request, and gives it up when no answer comes within the timeout. */
async function limited<Value>(
  platform: Platform,
  signal: AbortSignal | undefined,
  request: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const timeout = new AbortController();
  const timer = platform.setTimer(TIMEOUT, () => timeout.abort(), { background: true });
  try {
    return await request(signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal);
  } finally {
    timer.cancel();
  }
}
