import { createHmac } from 'node:crypto';

/** Text in front of a key of Standard Webhooks. */
const PREFIX = 'whsec_';

/** Returns the bytes of a key of Standard Webhooks; `undefined` if the text is none. https://www.standardwebhooks.com */
export function signingKey(secret: string): Buffer | undefined {
  const encoded = secret.slice(PREFIX.length);
  if (!secret.startsWith(PREFIX) || !/^[A-Za-z\d+/]+={0,2}$/.test(encoded)) return undefined;
  const key = Buffer.from(encoded, 'base64');
  return key.length >= 24 && key.length <= 64 ? key : undefined;
}

/** The parts of a request that are signed. */
export interface SignedParts {
  readonly id: string;
  /** Seconds since the epoch. */
  readonly timestamp: number;
  readonly body: string;
}

/** Returns the header `webhook-signature`: a signature for each key. */
export function signatures(keys: readonly Buffer[], { id, timestamp, body }: SignedParts): string {
  const signed = `${id}.${timestamp}.${body}`;
  return keys.map((key) => `v1,${createHmac('sha256', key).update(signed).digest('base64')}`).join(' ');
}
