import { createHash } from 'node:crypto';

import { ConversationError } from '@conv/core';
import { secureRandom } from '@conv/core/platform';
import type { FastifyRequest } from 'fastify';

import type { KeptKey } from '../auth/access-keys.ts';
import { keptKeyOf, stillValid } from '../auth/caller.ts';
import { sessionCookieOf } from '../auth/cookies.ts';
import type { Caller } from '../auth/principal.ts';

/** The header by which a handler's request is known again, also as a copy. */
export const SENDER_HEADER = 'x-conv-sender';

/** The sender of a request to a protocol, until it has its answer. */
export class Sender {
  /** The same for all requests with the same key or cookie. Reveals neither. */
  readonly credential: string;
  /** Aborted when the answer has ended. */
  readonly answered: AbortSignal;
  /** Aborted by {@link Sender.cutOff}, with its reason. */
  readonly cut: AbortSignal;
  /** The conversations that its request has opened. */
  readonly opened: Set<string> = new Set();
  readonly #request: FastifyRequest;
  readonly #cutting = new AbortController();

  constructor(request: FastifyRequest, answered: AbortSignal) {
    const { headers } = request;
    // a page sends other headers with each kind of request, and its requests share what they open
    const shown = [headers['x-session-api-key'], headers.authorization, sessionCookieOf(headers)];
    this.credential = createHash('sha256')
      .update(JSON.stringify(shown.map((each) => each ?? null)))
      .digest('base64');
    this.answered = answered;
    this.cut = this.#cutting.signal;
    this.#request = request;
  }

  /** Cuts its answer off at once, so that the client does not take it for the whole. The reason is the answer of a request that has none yet. */
  cutOff(reason: Error): void {
    this.#cutting.abort(reason);
  }

  /** Resolves with its present rights; with `undefined` if its key is void now. */
  rights(): Promise<Caller | undefined> {
    return stillValid(this.#request);
  }

  /** Returns what to keep of its key. Throws `UNSUPPORTED` if another server vouches for it. */
  keptKey(): KeptKey {
    const kept = keptKeyOf(this.#request);
    if (kept) return kept;
    throw new ConversationError('UNSUPPORTED', 'expected a request with a key, found one of another server');
  }

  /** Resolves with its present rights. Rejects `DENIED` if its key is void now. */
  async caller(): Promise<Caller> {
    const caller = await this.rights();
    if (caller) return caller;
    throw new ConversationError('DENIED', 'expected a valid key, found one that has become void; show another one');
  }
}

/** The senders of the requests that handlers work on. */
export class Senders {
  readonly #senders = new Map<string, Sender>();
  /** 256 random bits that only this process knows; each sender adds its number. */
  readonly #secret = Buffer.from(secureRandom(32)).toString('base64url');
  #nth = 0;

  /** Returns the header for the request that a handler gets. The sender is known until it has its answer. */
  enter(sender: Sender): Readonly<Record<string, string>> {
    const token = `${this.#secret}.${this.#nth++}`;
    if (!sender.answered.aborted) this.#senders.set(token, sender);
    sender.answered.addEventListener('abort', () => this.#senders.delete(token), { once: true });
    return { [SENDER_HEADER]: token };
  }

  /** Returns the sender of a handler's request. Throws `DENIED` for a request whose answer has ended, and for another one. */
  of(request: Request | undefined): Sender {
    const sender = this.#senders.get(request?.headers.get(SENDER_HEADER) ?? '');
    if (sender) return sender;
    throw new ConversationError('DENIED', 'expected a request that waits for its answer, found none');
  }
}
