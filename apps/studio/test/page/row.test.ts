import { expect, test } from 'vitest';
import { ClientQuestions } from '../../src/page/data/client-questions.ts';
import { type SaidConversation, toRow, waitsForPerson } from '../../src/page/data/row.ts';

const asking = (...calls: readonly string[]): SaidConversation => ({
  id: 'a',
  execution_status: 'running',
  unanswered_calls: [...calls],
});

test('a call of a client tool asks a person after two seconds, in the list and in the conversation', () => {
  let now = 0;
  const questions = new ClientQuestions(() => now);
  const both = (): readonly unknown[] => [
    toRow(asking('one'), questions).status,
    questions.asked(['one']),
    questions.untilNext(['one']),
  ];
  expect(both()).toEqual(['running', [], 2000]);
  now = 1999;
  expect(both()).toEqual(['running', [], 1]);
  now = 2000;
  expect(both()).toEqual(['waiting_for_answer', ['one'], undefined]);
});

test('a question stays one while other calls come and go, until its answer', () => {
  let now = 0;
  const questions = new ClientQuestions(() => now);
  toRow(asking('one'), questions);
  now = 2000;
  const rows = [asking('one', 'two'), asking('one'), asking()].map((said) => toRow(said, questions));
  expect(rows.map(waitsForPerson)).toEqual([true, true, false]);
});

test('calls that programs answer at once ask no person, however many there are', () => {
  let now = 0;
  const questions = new ClientQuestions(() => (now += 100));
  for (let call = 0; call < 3000; call++) expect(toRow(asking(`call ${call}`), questions).status).toBe('running');
});
