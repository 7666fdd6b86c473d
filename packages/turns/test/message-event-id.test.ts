import { expect, test } from 'vitest';
import { messageEventId } from '../src/index.ts';

test('a message with a UUID keeps it, and another message has a UUID of its own in each chat', async () => {
  const uuid = '0c5c8f0e-53a2-4f0e-8a56-2c6f7cf0a002';
  for (const id of [uuid, uuid.toUpperCase()]) expect(await messageEventId('one', id)).toBe(uuid);
  const [first, again, other] = await Promise.all(['one', 'one', 'two'].map((chat) => messageEventId(chat, 'abc')));
  expect(first).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  expect([again, other === first]).toEqual([first, false]);
});
