import { drafts } from '@conv/core/events';
import { expect, test } from 'vitest';
import { createStuckDetector } from '../src/index.ts';
import { errorAround, History, rejected, times } from './history.ts';

function begin(): History<unknown> {
  const history = new History(createStuckDetector());
  history.ask();
  return history;
}

const batch = [
  { command: 'cat a', result: 'text of a' },
  { command: 'cat b', result: errorAround('no b') },
  { command: 'cat c', result: rejected() },
];

test('the calls of a response are steps in their order, however their results come', () => {
  const history = begin();
  const orders = [
    [2, 1, 0],
    [1, 0, 2],
    [0, 2, 1],
  ];
  for (const order of orders) {
    expect(history.verdict).toBe(undefined);
    history.respond(batch, order);
  }
  expect(history.verdict).toBe('warn cycle');
  expect(history.finding?.eventIds).toEqual(history.events.slice(1).map(({ id }) => id));
});

test('a finding names its events in log order', () => {
  const history = begin();
  times(3, () => history.respond(batch, [2, 0, 1]));
  const ids = history.finding?.eventIds ?? [];
  expect(ids).toEqual(ids.toSorted());
  expect(ids.length).toBe(18);
});

test('an error without an action id finds its call by the id of the tool call', () => {
  const history = begin();
  times(3, () =>
    history.respond(
      [
        { command: 'cat b', result: errorAround('no b') },
        { command: 'cat b', result: errorAround('no b') },
      ],
      [1, 0],
    ),
  );
  expect(history.finding?.eventIds.length).toBe(12);
});

test('a result without a call does not count', () => {
  const history = begin();
  history.call('ls');
  times(10, (index) =>
    history.add(drafts.agentError({ tool_name: 'terminal', tool_call_id: `gone-${index % 2}` }, 'no')),
  );
  expect(history.verdict).toBe(undefined);
});

test('a call without a result does not delay calls of later responses', () => {
  const history = begin();
  history.respond([{ command: 'lost' }, { command: 'ls' }], [1]);
  times(3, () => history.call('ls'));
  expect(history.verdict).toBe('warn repeat');
});

test('a finding of a long loop stays small', () => {
  const history = begin();
  times(400, (index) => history.call(`cat ${index % 12}`));
  expect(history.finding?.eventIds.length).toBeLessThanOrEqual(50);
  expect(history.finding?.message.length).toBeLessThan(500);
  expect(history.finding?.message).toContain('33 times');
  const longer = new History(createStuckDetector({ maxCycleLength: 50 }));
  times(150, (index) => longer.call(`cat ${index % 50}`));
  expect(longer.finding?.eventIds).toEqual(longer.events.slice(-50).map(({ id }) => id));
});

test('calls with the same id, as some models make, get their results by the id of the action', () => {
  const history = begin();
  times(3, (round) => {
    const calls = ['a', 'b'].map((name) => history.add(sameId(name, round)));
    for (const call of round === 1 ? calls : calls.toReversed()) history.answer(call, `text of ${call.summary}`);
  });
  expect(history.verdict).toBe('warn alternating');
});

test('errors for calls with the same id go to one after the other', () => {
  const history = begin();
  times(3, (round) => {
    const calls = ['a', 'b'].map((name) => history.add(sameId(name, round)));
    for (const call of calls) history.answer(call, errorAround(`no ${call.summary}`));
  });
  expect(history.verdict).toBe('warn alternating');
});

test('a second result of the same call is nothing', () => {
  const history = begin();
  times(3, (index) => {
    const first = history.add(sameId('a', index));
    const second = history.add({ ...sameId('b', index), tool_call_id: `other-${index}` });
    history.answer(first, 'text of a');
    history.answer(first, `torn text number ${index}`);
    history.answer(second, 'text of b');
  });
  expect(history.verdict).toBe('warn alternating');
});

function sameId(name: string, round: number): ReturnType<typeof drafts.action> {
  return drafts.action({
    action: { command: `cat ${name}`, kind: 'TerminalAction' },
    tool_name: 'terminal',
    tool_call_id: 'call_0',
    tool_call: { id: 'call_0', name: 'terminal', arguments: '{}', origin: 'completion' },
    llm_response_id: `response-${round}`,
    summary: name,
  });
}
