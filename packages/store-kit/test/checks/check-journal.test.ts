import { expect, test } from 'vitest';

import { ConversationState } from '@conv/core';
import { userMessage } from '@conv/core/events';
import { MemoryStore, type Journal } from '@conv/core/store';
import { checkJournal } from '../../src/index.ts';
import { withLost } from '../support/lost-commits.ts';

const ID = '00000000-0000-4000-8000-000000000001';

/** A journal of nine messages that has lost commits 3 and 4, one by one, and records that. */
async function withNeighbouringLosses(): Promise<Journal> {
  const journal = await new MemoryStore().open(ID, { owner: 'test' });
  const state = await ConversationState.open(journal, { id: ID });
  for (let at = 0; at < 9; at++) await state.append([userMessage(`message ${at}`)]);
  const damaged = withLost(journal, new Set([3, 4]));
  await Array.fromAsync(damaged.commits());
  const opened = await ConversationState.open(damaged, { id: ID });
  await opened.append([userMessage('after the loss')]);
  return damaged;
}

test('P4: neighbouring lost commits that the log records one by one are known, and no gap besides', async () => {
  const { findings } = await checkJournal(await withNeighbouringLosses());
  expect(findings).toMatchObject([
    { part: 'log', severity: 'known', message: expect.stringMatching(/^commit 3 cannot be read/) as string },
    { part: 'log', severity: 'known', message: expect.stringMatching(/^commit 4 cannot be read/) as string },
  ]);
});

test('P4: a gap of which the reader does not know is known if recorded spans cover it together', async () => {
  const damaged = await withNeighbouringLosses();
  const silent = new Proxy(damaged, {
    get: (target, key) => {
      const value: unknown = key === 'damage' ? [] : Reflect.get(target, key, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
  const { findings } = await checkJournal(silent);
  const message = 'commits 3 to 4 are not there; the log records this loss';
  expect(findings).toEqual([{ part: 'log', severity: 'known', message, repaired: false }]);
});
