import { expect, test } from 'vitest';

import { decisionsIn } from '../src/client-side.ts';

const declined = { actionId: 'one', approved: false, reason: 'declined in the client' };

test.each([
  [{ approved: true }, undefined],
  [{ approved: true, arguments: null }, undefined],
  [{ approved: true, arguments: ' ' }, undefined],
  [{ approved: true, arguments: '{"command":"ls"}' }, { command: 'ls' }],
  [{ approved: true, arguments: { command: 'ls' } }, { command: 'ls' }],
])('a person who approves with %j runs the call', (content, edit) => {
  expect(decisionsIn({ one: { action: 'accept', content } })).toEqual([{ actionId: 'one', approved: true, edit }]);
});

test.each([7, true, ['ls'], 'ls'])(
  'arguments %j, which are no object, are passed on unchanged, so that they are refused',
  (given) => {
    const content = { approved: true, arguments: given };
    expect(decisionsIn({ one: { action: 'accept', content } })).toEqual([
      { actionId: 'one', approved: true, edit: given },
    ]);
  },
);

test.each([
  [{ action: 'accept', content: { approved: 'true', arguments: {} } }],
  [{ action: 'accept', content: null }],
  [{ action: 'decline', content: { approved: true } }],
])('%j runs nothing', (response) => {
  expect(decisionsIn({ one: response })).toEqual([declined]);
});

test('a person who leaves the question decides nothing', () => {
  expect(decisionsIn({ one: { action: 'cancel' }, two: null })).toEqual([]);
});
