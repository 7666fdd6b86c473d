import { createHash } from 'node:crypto';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Returns the key under which an id is indexed: the id itself if it is a UUID in its usual form, else 128 bits of its hash. */
export function toIdKey(id: string): string {
  return UUID.test(id) ? id : createHash('sha256').update(id).digest('hex').slice(0, 32);
}
