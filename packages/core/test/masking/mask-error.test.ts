import { inspect } from 'node:util';
import { expect, test } from 'vitest';

import { ConversationError, isConversationError, SECRET_MASK } from '../../src/index.ts';
import { maskError } from '../../src/masking/mask-error.ts';

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

test('P9: members of an error that cannot be searched for secrets are left out', () => {
  const hidden = { toJSON: () => 'nothing', value: VALUE };
  const error = Object.assign(new Error('plain'), {
    code: 'E1',
    status: 500,
    pairs: new Map([['key', VALUE]]),
    values: new Set([VALUE]),
    bytes: Buffer.from(VALUE),
    hidden,
    [Symbol('request')]: { headers: VALUE },
  });
  Object.defineProperty(error, 'late', {
    get: () => {
      throw new Error(VALUE);
    },
  });
  const safe = maskError(error, mask) as Error;
  const shown = inspect(safe, { depth: 10, showHidden: true, getters: true });
  expect(shown).not.toContain(VALUE);
  expect(shown).not.toContain(Buffer.from(VALUE).toString('hex').slice(0, 16));
  expect(safe).toMatchObject({ code: 'E1', status: 500, message: 'plain' });
});

test('P9: the quotation of invalid JSON by the engine is removed, because a cut value is not recognised', () => {
  let thrown: unknown;
  try {
    JSON.parse(`${VALUE} and more`);
  } catch (error) {
    thrown = error;
  }
  const safe = maskError(new Error('no JSON', { cause: thrown }), mask) as Error;
  expect(inspect(safe)).not.toContain(VALUE.slice(0, 8));
  expect(inspect(safe)).toContain('is not valid JSON');
});

test('P9: a thrown value that is not an error is masked, circular values included', () => {
  expect(maskError(`no ${VALUE}`, mask)).toBe(`no ${SECRET_MASK}`);
  expect(maskError({ detail: VALUE }, mask)).toEqual({ detail: SECRET_MASK });
  const circle: { self?: unknown; detail: string } = { detail: VALUE };
  circle.self = circle;
  expect(inspect(maskError(new Error('in a circle', { cause: circle }), mask), { depth: 10 })).not.toContain(VALUE);
  const own = new Error(VALUE);
  own.cause = own;
  expect(inspect(maskError(own, mask), { depth: 50 })).not.toContain(VALUE);
});
