import { inspect } from 'node:util';
import { expect, test } from 'vitest';

import { ConversationError, isConversationError, SECRET_MASK } from '../../src/index.ts';
import { maskError } from '../../src/control/mask-error.ts';

const VALUE = 'hunter2hunter2';
const mask = (text: string): string => text.replaceAll(VALUE, SECRET_MASK);

test('P9: an error without a secret is itself', () => {
  const error = new Error('plain', { cause: new Error('also plain') });
  expect(maskError(error, mask)).toBe(error);
});

test('P9: message, stack, causes and members of an error are masked, its class and code are kept', () => {
  const cause = Object.assign(new TypeError(`fetch of ${VALUE}`), { request: { headers: { key: VALUE } } });
  const error = new ConversationError('RUN_FAILED', `it said ${VALUE}`, { cause, conversationId: 'c' });
  const safe = maskError(error, mask) as ConversationError;
  expect(isConversationError(safe, 'RUN_FAILED')).toBe(true);
  expect(safe.message).toBe(`[RUN_FAILED] it said ${SECRET_MASK}`);
  expect(safe.cause).toBeInstanceOf(TypeError);
  expect(inspect(safe, { depth: 10 })).not.toContain(VALUE);
  expect(safe.stack).toContain(`it said ${SECRET_MASK}`);
  expect(error.message).toContain(VALUE);
});

test('P9: the errors of an aggregate are masked', () => {
  const error = new AggregateError([new Error('fine'), new Error(VALUE)], 'several');
  const safe = maskError(error, mask) as AggregateError;
  expect(safe.errors.map((item: Error) => item.message)).toEqual(['fine', SECRET_MASK]);
});

test('P9: what was thrown and is no error is masked, circles included', () => {
  expect(maskError(`no ${VALUE}`, mask)).toBe(`no ${SECRET_MASK}`);
  expect(maskError({ detail: VALUE }, mask)).toEqual({ detail: SECRET_MASK });
  const circle: { self?: unknown; detail: string } = { detail: VALUE };
  circle.self = circle;
  expect(inspect(maskError(new Error('in a circle', { cause: circle }), mask), { depth: 10 })).not.toContain(VALUE);
  const own = new Error(VALUE);
  own.cause = own;
  expect(inspect(maskError(own, mask), { depth: 50 })).not.toContain(VALUE);
});
