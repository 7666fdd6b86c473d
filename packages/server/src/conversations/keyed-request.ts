import { createHmac } from 'node:crypto';
import type { Json, JsonObject, StateFields } from '@conv/core';

import { keyUsedBefore } from '../http/idempotency-key.ts';
import { withoutSecrets } from '../http/secret-texts.ts';

/** Metadata member that identifies the keyed request that made a conversation. */
const MADE_BY = 'made_by_request';

/** A request that makes a conversation, with the key by which it may be repeated. */
export class KeyedRequest {
  readonly key: string;
  readonly conversationId: string;
  readonly #prints: { readonly key: string; readonly request: string };

  /** @param body the body that the client sent; its secrets are ignored */
  constructor(key: string, conversationId: string, body: Json) {
    this.key = key;
    this.conversationId = conversationId;
    this.#prints = { key: this.#print('key'), request: this.#print(`request\n${inOneOrder(withoutSecrets(body))}`) };
  }

  /** Metadata stored in the conversation that this request makes, so that every server recognizes it. Reveals no text of it. */
  get kept(): JsonObject {
    return { [MADE_BY]: this.#prints };
  }

  /** True if this request made the conversation. Throws {@link ApiError} 422 if a different request with the same key made it. */
  made({ extra }: Pick<StateFields, 'extra'>): boolean {
    const { key, request } = Object(extra.meta[MADE_BY]) as Partial<JsonObject>;
    if (key !== this.#prints.key) return false;
    if (request === this.#prints.request) return true;
    throw keyUsedBefore(this.key);
  }

  /** The key is not stored, because the stored digests reveal nothing without it. */
  #print(text: string): string {
    return createHmac('sha256', this.key).update(`${this.conversationId}\n${text}`).digest('hex');
  }
}

/** Returns the value as JSON with the members of each object sorted, so that clients' member order does not matter. */
function inOneOrder(value: Json): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : member,
  );
}
