import { expect, test } from 'vitest';
import { type SaidConversation, toRow, waitsForPerson } from '../../src/page/data/row.ts';

const asking: SaidConversation = {
  id: 'a',
  execution_status: 'running',
  updated_at: '2026-01-01T00:00:00Z',
  waits_for_answer: true,
};

test('a call that a program answers between two looks asks no person', () => {
  const first = toRow(asking);
  const later = toRow({ ...asking, updated_at: '2026-01-01T00:00:01Z' }, first);
  const answered = toRow({ ...asking, waits_for_answer: false }, first);
  expect([first, later, answered].map(({ status }) => status)).toEqual(['running', 'running', 'running']);
});

test('a call that waits at two looks, between which nothing happened, waits for a person until its answer', () => {
  const first = toRow(asking);
  const second = toRow(asking, first);
  const third = toRow(asking, second);
  const answered = toRow({ ...asking, waits_for_answer: false, updated_at: '2026-01-01T00:00:09Z' }, third);
  expect([second, third, answered].map(waitsForPerson)).toEqual([true, true, false]);
  expect([second.status, third.status, answered.status]).toEqual([
    'waiting_for_answer',
    'waiting_for_answer',
    'running',
  ]);
});
