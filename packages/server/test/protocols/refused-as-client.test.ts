import { ConversationError, type ConversationErrorCode } from '@conv/core';
import { StoreError } from '@conv/core/store';
import { expect, test } from 'vitest';

import { refusedAsClient } from '../../src/protocols/refused-as-client.ts';

/** Resolves with the error that a client gets for this one, and with what was reported. */
async function told(error: unknown): Promise<{ readonly error: unknown; readonly reported: readonly unknown[] }> {
  const reported: unknown[] = [];
  const how = { conversationId: 'one', report: (failure: unknown) => void reported.push(failure) };
  return {
    error: await refusedAsClient(() => Promise.reject(error), how).catch((thrown: unknown) => thrown),
    reported,
  };
}

const failed = (code: ConversationErrorCode): ConversationError =>
  new ConversationError(code, 'disk /var/lib/conv is full');

test.each(['STORE_FAILED', 'DEADLOCK', 'OUTCOME_UNKNOWN'] as const)(
  'P9: a failure of the server itself (%s) is reported, and its text is not told',
  async (code) => {
    const error = failed(code);
    const { error: thrown, reported } = await told(error);
    expect(reported).toEqual([error]);
    expect(thrown).toMatchObject({ code: 'SERVER_FAILED', conversationId: 'one' });
    expect((thrown as Error).message).not.toContain('/var/lib');
    expect((thrown as Error).cause).toBeUndefined();
  },
);

test.each(['BUSY', 'DENIED', 'INVALID_INPUT', 'NOT_FOUND', 'CLOSED'] as const)(
  'a refusal (%s) is told as it is, and is not reported',
  async (code) => {
    const error = failed(code);
    expect(await told(error)).toEqual({ error, reported: [] });
  },
);

test('a store that cannot be reached is a failure of the server', async () => {
  const error = new StoreError('UNAVAILABLE', 'no route to 10.0.0.7');
  expect(await told(error)).toMatchObject({ error: { code: 'SERVER_FAILED' }, reported: [error] });
});
