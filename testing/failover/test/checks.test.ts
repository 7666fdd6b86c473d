import { drafts, agentMessage, userMessage, type Event } from '@conv/core/events';
import { Findings } from '@conv/testing-harness';
import { expect, test } from 'vitest';

import { checkCalls } from '../src/checks/check-calls.ts';
import { checkFinished, checkLog } from '../src/checks/check-log.ts';
import type { Counter } from '../src/counters.ts';
import { doneMessage } from '../src/model/job.ts';
import { callOf, endOf, failureOf, logOf, stored } from './stored-story.ts';

const UNKNOWN = 'It was interrupted. Its outcome is unknown.';
const UNSTARTED = 'It was interrupted before it started. It had no effect.';

function found(log: readonly Event[], ...lines: readonly string[]): readonly string[] {
  const findings = new Findings<Counter>();
  const witness = new Map<string, { startedBy: string[]; ended: number }>();
  for (const line of lines) {
    const [what, mark = ''] = line.split(' ');
    const execution = witness.get(mark) ?? { startedBy: [], ended: 0 };
    witness.set(mark, execution);
    if (what === 'start') execution.startedBy.push('server-1.1');
    else execution.ended++;
  }
  checkCalls([log], witness, findings);
  return findings.lines.map((line) => line.replaceAll(/call \S+ \((command \w+)\)/g, '$1'));
}

test('P5: a call with one execution and one result is well, and so is a call whose end was not seen', () => {
  const [one, two, three] = [callOf('a'), callOf('b'), callOf('c')];
  expect(found([one, endOf(one)], 'start a', 'end a')).toEqual([]);
  expect(found([two, failureOf(two, UNKNOWN)], 'start b')).toEqual([]);
  expect(found([three, failureOf(three, UNSTARTED)])).toEqual([]);
});

test('P5: commands that run twice, unasked, or against what their result says are found', () => {
  const [one, two, three] = [callOf('a'), callOf('b'), callOf('c')];
  expect(found([one, endOf(one)], 'start a', 'start a', 'end a')).toEqual([
    'executedTwice: command a was begun by server-1.1, server-1.1',
  ]);
  expect(found([], 'start z')).toEqual(['contradicted: command z was executed and no log has it']);
  expect(found([two, failureOf(two, UNSTARTED)], 'start b')).toEqual([
    'contradicted: command b was begun, its result denies it',
  ]);
  expect(found([three, stored(drafts.userReject(three))], 'start c')).toEqual([
    'contradicted: command c was begun, its result denies it',
  ]);
  expect(found([one, endOf(one)], 'start a')).toEqual(['contradicted: command a has a result and did not end']);
});

test('P5: a call without a result and one with two are found', () => {
  const one = callOf('a');
  expect(found([one], 'start a')).toEqual(['missing: command a has no result']);
  expect(found([one, endOf(one), failureOf(one, UNKNOWN)], 'start a', 'end a')).toEqual([
    'duplicated: command a has 2 results',
  ]);
});

test('a conversation is finished when it says so and every job has its answer', async () => {
  const job = { name: 'c01/1', steps: 3 };
  const answer = stored(agentMessage({ content: doneMessage(job), llm_response_id: 'r' }));
  const image = await logOf([{ events: [answer], status: 'finished' }]);
  const [findings, other] = [new Findings<Counter>(), new Findings<Counter>()];
  checkFinished('c01', image, [job], findings);
  expect(findings.lines).toEqual([]);
  checkFinished('c01', await logOf([{ status: 'running' }]), [job], other);
  expect(other.lines).toEqual(['unfinished: c01 is running', 'unfinished: job c01/1 has no answer']);
});

test('a log with a gap, an owner of before or an event twice is found', async () => {
  const image = await logOf([{ events: [stored(userMessage('a'))] }], [{ events: [stored(userMessage('b'))] }]);
  const lines = (commits: (typeof image)['commits'], events = image.events): readonly string[] => {
    const findings = new Findings<Counter>();
    checkLog('c01', { ...image, commits, events }, findings);
    return findings.lines;
  };
  expect(lines(image.commits)).toEqual([]);
  expect(lines(image.commits.slice(1))).toEqual([
    'missing: commit 1 of c01 stands where 0 should',
    'missing: commit 1 of c01 begins with event 1, not 0',
  ]);
  expect(lines(image.commits.toReversed()).at(-1)).toMatch(/misordered: commit 0 of c01 was made by owner 1 after 2/);
  expect(lines(image.commits, [...image.events, ...image.events.slice(0, 1)])[0]).toMatch(/duplicated: event .* twice/);
});
