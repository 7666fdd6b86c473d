import { readFileSync } from 'node:fs';

import { readTransitionTable } from '@conv/testing-harness';
import fc from 'fast-check';
import { expect, test } from 'vitest';

import { nextRequest, type StopCommand, type StopRequest } from '../../src/run/stop-request.ts';

const REQUESTS: readonly StopRequest[] = ['none', 'pause', 'leave', 'abandoned', 'interrupted'];
const COMMANDS: readonly StopCommand[] = ['pause', 'leave', 'abandon', 'interrupt'];

const requestCalled = (name: string): StopRequest =>
  REQUESTS.find((request) => request === name) ?? expect.fail(`no request ${name}`);
const commandCalled = (name: string): StopCommand =>
  COMMANDS.find((command) => command === name) ?? expect.fail(`no command ${name}`);

const TABLE = readTransitionTable(readFileSync(new URL('../../src/run/stop-request.ts', import.meta.url), 'utf8'));

test('the table of requests to stop has a cell for every request and every command', () => {
  const pairs = COMMANDS.flatMap((command) => REQUESTS.map((request) => `${request} ${command}`));
  expect(TABLE.map(({ state, event }) => `${state} ${event}`)).toEqual(pairs);
});

test.for(TABLE)('the request $state becomes on $event what its table says', ({ state, event, next, effects }) => {
  expect(nextRequest(requestCalled(state), commandCalled(event))).toEqual({ state: next, effects });
});

test('a request to stop is never replaced by a weaker one, and aborts the run once at most', () => {
  const rank = (request: StopRequest): number => Math.min(REQUESTS.indexOf(request), 3);
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...COMMANDS)), (commands) => {
      let [request, aborts] = ['none' as StopRequest, 0];
      for (const command of commands) {
        const { state, effects } = nextRequest(request, command);
        expect(rank(state)).toBeGreaterThanOrEqual(rank(request));
        aborts += effects.length;
        request = state;
        expect(aborts).toBe(rank(request) === 3 ? 1 : 0);
      }
    }),
  );
});
