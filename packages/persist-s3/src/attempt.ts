import { isStoreError } from '@conv/core/store';
import { pause, type Clock } from './clock.ts';
import { failureOf, fromS3Error } from './from-s3-error.ts';

/** How often a request is made before it is given up, besides what the client repeats by itself. */
const ATTEMPTS = 8;
/** Milliseconds before the second attempt; doubled before each further one, up to the longest. */
const FIRST_PAUSE = 50;
const LONGEST_PAUSE = 3000;
/** Milliseconds after which an answer is not waited for any more; the client may have a shorter limit of its own. */
const TIMEOUT = 60_000;

/** A write that may have been carried out: no attempt was answered as carried out, and not all were answered. */
export class LostAnswer extends Error {
  constructor(subject: string, cause: unknown) {
    super(`${subject}: the answer was lost`, { cause });
    this.name = 'LostAnswer';
  }
}

/** What {@link attempt} works with. */
export interface AttemptContext {
  readonly clock: Clock;
  /** For messages: what is done, and where. */
  readonly subject: string;
  readonly signal: AbortSignal | undefined;
  /** Reject with {@link LostAnswer} when it may have been carried out; without, that counts as not carried out. */
  readonly tellsLoss: boolean;
}

/**
 * Makes a request, again and again while its failures are of the kind that passes. Rejects with a `StoreError` when it was
 * certainly not carried out, with {@link LostAnswer} when it may have been, and with `signal.reason`.
 */
export async function attempt<Value>(
  { clock, subject, signal, tellsLoss }: AttemptContext,
  request: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  let mayHaveHappened = false;
  for (let count = 1; ; count++) {
    signal?.throwIfAborted();
    try {
      return await limited(clock, signal, request);
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
    // Those that failed together would meet again without some difference between their pauses.
    await pause(clock, longest * (0.5 + Math.random() / 2), signal);
  }
}

/** Makes a request that is given up when its answer does not come. */
async function limited<Value>(
  clock: Clock,
  signal: AbortSignal | undefined,
  request: (signal: AbortSignal) => Promise<Value>,
): Promise<Value> {
  const timeout = new AbortController();
  const cancel = clock.schedule(TIMEOUT, () => timeout.abort(), 'background');
  try {
    return await request(signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal);
  } finally {
    cancel();
  }
}
