import { createHash } from 'node:crypto';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** What an id of any form is indexed with: itself when it is a UUID as they are usually written, else 128 bits of its hash. */
export function toIdKey(id: string): string {
  return UUID.test(id) ? id : createHash('sha256').update(id).digest('hex').slice(0, 32);
}
