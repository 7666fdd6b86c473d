import { Findings } from '@conv/testing-harness';
import { expect, test } from 'vitest';

import type { Counter } from '../src/counters.ts';
import { parseOptions } from '../src/options.ts';
import type { Played } from '../src/play-storm.ts';
import { isClean, resultLine } from '../src/result-line.ts';

const SPARED = { container: 0, executor: 0, program: 0 };

function played(milliseconds: readonly (number | undefined)[], ...found: readonly Counter[]): Played {
  const findings = new Findings<Counter>();
  for (const counter of found) findings.add(counter, 'something');
  const takeovers = milliseconds.map((time, seq) => ({
    name: 'c01',
    seq,
    from: undefined,
    strike: undefined,
    milliseconds: time,
  }));
  return {
    kills: 2,
    zombies: 1,
    ended: 0,
    handKills: SPARED,
    takeovers,
    givenUp: 1,
    events: 30,
    findings,
    remarks: [],
  };
}

test('the line counts what was found and says how long taking over took', () => {
  const line = resultLine(parseOptions(['--seconds', '9']), played([300, 100, undefined, 200], 'missing', 'missing'));
  expect(JSON.parse(line)).toEqual({
    store: 'postgres',
    servers: 3,
    conversations: 50,
    seconds: 9,
    kills: 2,
    zombies: 1,
    takeovers: 4,
    givenUp: 1,
    events: 30,
    missing: 2,
    duplicated: 0,
    misordered: 0,
    executedTwice: 0,
    contradicted: 0,
    unfinished: 0,
    leftBehind: 0,
    takeoverMs: { p50: 200, p95: 300, max: 300 },
  });
});

test('a storm is clean without findings and with a takeover, which a calm storm does not need', () => {
  expect(isClean(parseOptions([]), played([100]))).toBe(true);
  expect(isClean(parseOptions([]), played([]))).toBe(false);
  expect(isClean(parseOptions(['--calm']), played([]))).toBe(true);
  expect(isClean(parseOptions([]), played([100], 'unfinished'))).toBe(false);
});

test('a storm over containers is clean if something that acts in them was killed, and if nothing is left', () => {
  const options = parseOptions(['--runtime', 'docker']);
  const handKills = { ...SPARED, program: 3 };
  expect(isClean(options, played([100]))).toBe(false);
  expect(isClean(options, { ...played([100]), handKills })).toBe(true);
  expect(isClean(options, { ...played([100], 'leftBehind'), handKills })).toBe(false);
  const line = resultLine(options, { ...played([]), handKills });
  expect(JSON.parse(line)).toMatchObject({ runtime: 'docker', handKills });
});
