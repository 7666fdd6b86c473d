import assert from 'node:assert/strict';

import { isStoreError } from '@conv/core/store';
import { casesWhen } from '../conformance-case.ts';
import { readPlain, readStored } from './expect-store.ts';
import { storeCase, type StoreConformanceCase } from './store-under-test.ts';

const lossCase = casesWhen(storeCase, ({ loseAnswer }) => loseAnswer === true);

/** Cases about writes whose answers never arrive. */
export const lostAnswerCases: readonly StoreConformanceCase[] = [
  lossCase(
    'an append whose answer is lost is acknowledged, or rejects OUTCOME_UNKNOWN',
    async ({ store, loseAnswer, begin }) => {
      assert.ok(loseAnswer, 'the harness announced loseAnswer');
      const author = await begin();
      await author.append({ events: 1 });
      loseAnswer('cut');
      const outcome = await author.append({ events: 1 }).catch((error: unknown) => error);
      if (outcome instanceof Error)
        assert.ok(isStoreError(outcome, 'OUTCOME_UNKNOWN'), `it is stored, but append rejects with ${outcome.message}`);
      assert.equal(author.journal.lost.aborted, false, 'the journal is not lost by it');
      await author.journal.close();
      assert.deepEqual(await readStored(store, author.id), author.written, 'the commit is stored once');
    },
  ),
  lossCase(
    'an append that the client of the backend sends twice is stored once and acknowledged',
    async ({ store, loseAnswer, begin }) => {
      assert.ok(loseAnswer, 'the harness announced loseAnswer');
      const author = await begin();
      for (let round = 0; round < 3; round++) {
        loseAnswer('sentTwice');
        await author.append({ events: 1 });
        await author.append({ patch: { set: { title: `round ${round}` } } });
      }
      await author.journal.close();
      assert.deepEqual(await readStored(store, author.id), author.written);
    },
  ),
  lossCase(
    'the next owner after a lost answer finds each commit once and writes after it',
    async ({ store, loseAnswer, begin }) => {
      assert.ok(loseAnswer, 'the harness announced loseAnswer');
      const author = await begin();
      for (let round = 0; round < 3; round++) {
        loseAnswer('cut');
        await author.append({ events: 1 }).catch(() => {});
        await author.reopen(store);
        await author.append({ events: 1 });
        assert.deepEqual(await readPlain(author.journal), author.written, `round ${round}`);
      }
      await author.journal.close();
    },
  ),
];
