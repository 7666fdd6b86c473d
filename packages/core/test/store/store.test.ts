import { randomUUID } from 'node:crypto';

import { expect, test } from 'vitest';

import { fromStoreError } from '../../src/contract/errors/from-store-error.ts';
import { isConversationError, type ConversationError } from '../../src/contract/errors/conversation-error.ts';
import {
  isStoreError,
  StoreError,
  toConversationId,
  toConversationKey,
  type StoreErrorCode,
} from '../../src/store/index.ts';

test('an id is a dashed lower-case UUID, its key the 32 digits', () => {
  const id = randomUUID();
  expect(toConversationId(id.toUpperCase())).toBe(id);
  expect(toConversationId(id.replaceAll('-', ''))).toBe(id);
  expect(toConversationKey(id)).toBe(id.replaceAll('-', ''));
});

test('a value that is not a UUID is refused, whatever its type', () => {
  for (const wrong of ['', 'x', `${randomUUID()}x`, `${randomUUID()}\n`, '../..', null, undefined, 7, {}, ['a']]) {
    expect(() => toConversationId(wrong as string)).toThrow('[INVALID_ID]');
  }
});

test('an error of another copy of this package is recognised by its brand, and a lookalike is not', () => {
  const copy = Object.assign(new Error('[OWNED] by a copy'), { code: 'OWNED' });
  Object.defineProperty(copy, Symbol.for('conv.store.error'), { value: true });
  expect([isStoreError(copy), isStoreError(copy, 'OWNED'), isStoreError(copy, 'FENCED')]).toEqual([true, true, false]);
  expect([isStoreError({ code: 'OWNED' }), isStoreError(new Error('OWNED')), isStoreError(undefined)]).toEqual([
    false,
    false,
    false,
  ]);
  expect(isConversationError(copy)).toBe(false);
});

test('an error of a store becomes one of the conversation, with it as the cause and the conversation named', () => {
  const codes: [StoreErrorCode, string][] = [
    ['NOT_FOUND', 'NOT_FOUND'],
    ['EXISTS', 'EXISTS'],
    ['INVALID_ID', 'INVALID_INPUT'],
    ['OWNED', 'OWNED'],
    ['FENCED', 'FENCED'],
    ['TOO_LARGE', 'EVENT_TOO_LARGE'],
    ['CLOSED', 'CLOSED'],
    ['CORRUPT', 'STORE_FAILED'],
    ['FULL', 'STORE_FAILED'],
    ['UNAVAILABLE', 'STORE_FAILED'],
    ['OUTCOME_UNKNOWN', 'STORE_FAILED'],
  ];
  for (const [code, expected] of codes) {
    const cause = new StoreError(code, 'conversation x is in a bad way');
    const error = fromStoreError(cause, 'x') as ConversationError;
    expect([error.code, error.cause, error.conversationId]).toEqual([expected, cause, 'x']);
    expect(error.message).toBe(`[${expected}] conversation x is in a bad way`);
  }
});

test('errors that no store throws, such as an abort, stay unchanged', () => {
  const reason = new DOMException('stop', 'AbortError');
  expect(fromStoreError(reason)).toBe(reason);
  expect(fromStoreError('text')).toBe('text');
});
