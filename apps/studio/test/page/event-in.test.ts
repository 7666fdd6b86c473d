import { expect, test } from 'vitest';
import { eventIn } from '../../src/page/conversation/event-in.ts';

test.each([
  ['', undefined],
  ['#', undefined],
  ['#an-id', 'an-id'],
  ['#a%20b', 'a b'],
  ['#100%', '100%'],
])('the end %j of an address names the event %j', (hash, id) => {
  expect(eventIn(hash)).toBe(id);
});
