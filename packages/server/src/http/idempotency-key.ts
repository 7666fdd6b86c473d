import { createHash } from 'node:crypto';
import { IDEMPOTENCY_KEY_HEADER } from '@conv/openhands/rest';
import type { FastifyRequest } from 'fastify';

import { ApiError } from './api-error.ts';

const LONGEST = 200;

/** Returns the key by which a client repeats a request, if it sent one. Throws {@link ApiError} 422 for a key that is too long. */
export function idempotencyKey(request: FastifyRequest): string | undefined {
  const key = request.headers[IDEMPOTENCY_KEY_HEADER.toLowerCase()];
  if (typeof key !== 'string' || key === '') return undefined;
  if (key.length <= LONGEST) return key;
  throw new ApiError(422, `${IDEMPOTENCY_KEY_HEADER} has more than ${LONGEST} characters; send a shorter one`);
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Returns the id of the message with this key. A UUID in lower case is the id itself, so that its sender finds the message. */
export function messageIdOfKey(conversationId: string, key: string): string {
  return UUID.test(key) ? key : idOfKey(conversationId, key);
}

/**
 * Returns the id of the object made for this key. It is the same each time, also in another process, so that the object is found
 * again and made once. A UUID of version 8.
 */
export function idOfKey(scope: string, key: string): string {
  const bytes = createHash('sha256').update(`${scope}\n${key}`).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** Returns the refusal of a key that was used for another request. */
export function keyUsedBefore(key: string, cause?: unknown): ApiError {
  const text = `${IDEMPOTENCY_KEY_HEADER} ${JSON.stringify(key)} was used before with another request; send another one`;
  return new ApiError(422, text, cause === undefined ? {} : { cause });
}
