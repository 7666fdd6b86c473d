import { expect, test } from 'vitest';

import { callIds } from '../../src/messages/index.ts';

test.each([
  ['call_1', undefined, 'call_1'],
  ['call_1', 'sig+/=', 'call_1__thought__sig+/='],
  ['call_1', '', 'call_1__thought__'],
])('the id %s with the signature %s is stored as %s and read back', (id, signature, stored) => {
  expect(callIds.storedCallId(id, signature)).toBe(stored);
  expect(callIds.splitCallId(stored)).toEqual({ id, signature });
});
