import { listPage, type ConversationSummary } from '@conv/core/store';
import fc from 'fast-check';
import { expect, test } from 'vitest';

import { SummaryList } from '../../src/store/summary-list.ts';

/** The summary with a number; its times are those of other numbers too. */
function summary(number: number, time: number): ConversationSummary {
  const at = new Date(Date.UTC(2026, 0, 1) + time * 1000).toISOString();
  return {
    id: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
    title: `${number} at ${time}`,
    status: 'idle',
    createdAt: new Date(Date.UTC(2026, 0, 1) + (number % 7) * 1000).toISOString(),
    updatedAt: at,
    tags: {},
    parentId: null,
    forkedFrom: null,
  };
}

const changes = fc.array(
  fc.oneof(
    fc.record({ do: fc.constant('set' as const), number: fc.nat(90), time: fc.nat(20), more: fc.nat(60) }),
    fc.record({ do: fc.constant('delete' as const), number: fc.nat(90) }),
  ),
  { minLength: 1, maxLength: 20 },
);

const queries = (['createdAt', 'updatedAt'] as const).flatMap((sortBy) =>
  (['ascending', 'descending'] as const).map((order) => ({ limit: 100, sortBy, order })),
);

test('the list is what sorting all summaries gives, whether they come one by one or many at once', () => {
  fc.assert(
    fc.property(changes, (steps) => {
      const list = new SummaryList();
      const all = new Map<string, ConversationSummary>();
      for (const step of steps) {
        if (step.do === 'delete') {
          const { id } = summary(step.number, 0);
          list.delete(id);
          all.delete(id);
        } else
          for (let more = 0; more <= step.more; more++) {
            const item = summary((step.number + more) % 90, step.time);
            list.set(item);
            all.set(item.id, item);
          }
        const expected = queries.map((query) => listPage([...all.values()], query));
        expect(queries.map((query) => list.page(query))).toEqual(expected);
        const byChange = listPage([...all.values()], { limit: 100, sortBy: 'updatedAt', order: 'ascending' });
        expect(list.byChange()).toEqual(byChange.items);
      }
    }),
    { numRuns: 100 },
  );
});
