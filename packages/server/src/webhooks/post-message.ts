import { errorText } from '@conv/core';
import { timers, type Platform } from '@conv/core/platform';

import { signatures } from './signature.ts';
import type { WebhookMessage } from './webhook-message.ts';

/** Longest wait that a receiver may ask for, in milliseconds. */
const LONGEST_WAIT = 3_600_000;

/** Statuses of a receiver that takes no requests at all, for now. */
const OF_RECEIVER = new Set([408, 429, 502, 503, 504]);

/** A request that a receiver has not taken. Its message names neither the URL nor a header, which may hold secrets. */
export class DeliveryError extends Error {
  override readonly name = 'DeliveryError';
  /** True if other requests would fail, too: the receiver is away or overloaded. */
  readonly isOfReceiver: boolean;
  /** Milliseconds that the receiver asks to wait; 0 if it does not. */
  readonly wait: number;

  constructor(
    message: string,
    about: { readonly isOfReceiver: boolean; readonly wait?: number; readonly cause?: unknown },
  ) {
    super(message, about.cause === undefined ? {} : { cause: about.cause });
    this.isOfReceiver = about.isOfReceiver;
    this.wait = about.wait ?? 0;
  }
}

export interface PostDeps {
  readonly platform: Platform;
  /** Reaches allowed addresses alone, and follows no redirect. */
  readonly fetch: typeof fetch;
  readonly headers: Readonly<Record<string, string>>;
  readonly keys: readonly Buffer[];
  readonly timeout: number;
}

/** Sends a message. Resolves when the receiver has taken it, with a status of 200 to 299. Rejects {@link DeliveryError}, and `signal.reason`. */
export async function postMessage(
  { id, url, headers: own = {}, contentType, body }: WebhookMessage,
  { platform, fetch: send, headers, keys, timeout }: PostDeps,
  signal: AbortSignal,
): Promise<void> {
  const timestamp = Math.floor(platform.now() / 1000);
  const signature = keys.length === 0 ? {} : { 'webhook-signature': signatures(keys, { id, timestamp, body }) };
  const set = { 'content-type': contentType, 'webhook-id': id, 'webhook-timestamp': String(timestamp), ...signature };
  using limit = timers.deadline(platform, timeout, { signal });
  let answer: Response;
  try {
    const all = new Headers({ 'user-agent': 'conv-server' });
    for (const [name, value] of Object.entries({ ...headers, ...own, ...set })) all.set(name, value);
    answer = await send(url, { method: 'POST', headers: [...all], body, signal: limit });
  } catch (error) {
    signal.throwIfAborted();
    const reason = limit.aborted ? `it did not answer in ${timeout} ms` : reasonOf(error);
    throw new DeliveryError(`the receiver was not reached: ${reason}`, { isOfReceiver: true, cause: error });
  }
  // a receiver says all with its status; a body without end must not be read
  await answer.body?.cancel().catch(() => {});
  if (answer.ok) return;
  const isRedirect = answer.status >= 300 && answer.status < 400;
  throw new DeliveryError(
    `expected a status from 200 to 299, found ${answer.status}${isRedirect ? '; redirects are not followed, so set the URL that it leads to' : ''}`,
    { isOfReceiver: OF_RECEIVER.has(answer.status), wait: waitOf(answer.headers.get('retry-after'), platform) },
  );
}

/** Returns the text of the innermost error, because `fetch` says only that it failed. */
function reasonOf(error: unknown): string {
  const { cause } = Object(error) as { readonly cause?: unknown };
  return cause === undefined ? errorText(error) : errorText(cause);
}

function waitOf(header: string | null, platform: Pick<Platform, 'now'>): number {
  if (header === null) return 0;
  const wait = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - platform.now();
  return Number.isNaN(wait) ? 0 : Math.min(Math.max(wait, 0), LONGEST_WAIT);
}
