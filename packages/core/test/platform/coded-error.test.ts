import { expect, test } from 'vitest';
import { ConversationError, errorText } from '../../src/index.ts';
import { StoreError } from '../../src/store/index.ts';
import { fromStoreError } from '../../src/contract/errors/from-store-error.ts';

test('an error with a code has its text without the code, and its message with it', () => {
  const error = new ConversationError('UNKNOWN_EVENT', 'no event has the id "x"', { eventId: 'x' });
  expect(error).toMatchObject({
    code: 'UNKNOWN_EVENT',
    text: 'no event has the id "x"',
    message: '[UNKNOWN_EVENT] no event has the id "x"',
    eventId: 'x',
  });
});

test('the error of a store becomes the error of a conversation with the same text', () => {
  const cause = new StoreError('FULL', 'no space is left: [A] stays');
  expect(fromStoreError(cause)).toMatchObject({ code: 'STORE_FAILED', text: 'no space is left: [A] stays', cause });
});

test.each([
  ['an error with a text', new StoreError('CLOSED', 'closed before'), 'closed before'],
  ['an error of another copy', Object.assign(new Error('[X] words'), { code: 'X', text: 'words' }), 'words'],
  ['an error of a library with a text', Object.assign(new Error('words'), { text: 'an answer' }), 'words'],
  ['an error of a library with code and text', Object.assign(new Error('words'), { code: 'X', text: 'y' }), 'words'],
  ['an error with an empty text', Object.assign(new Error('words'), { text: '' }), 'words'],
  ['a plain error', new TypeError('words'), 'words'],
  ['an error without a message', new RangeError(''), 'RangeError'],
  ['a string', 'words', 'words'],
  ['nothing', undefined, 'undefined'],
])('errorText of %s is its words', (_, error, text) => {
  expect(errorText(error)).toBe(text);
});
