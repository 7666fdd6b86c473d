import { readFileSync } from 'node:fs';

import type { AgentSession } from '@conv/core';
import { readTransitionTable } from '@conv/testing-harness';
import fc from 'fast-check';
import { expect, test } from 'vitest';

import type { RunEvent, RunPhase, RunProgress } from '../../src/run/run-phase.ts';
import { nextPhase } from '../../src/run/run-transitions.ts';

const session = {} as AgentSession;
const progress: RunProgress = { iterations: 2, iterationsBefore: 3, maxIterations: 9, seenMessageId: 'old' };

const PHASES: { readonly [Kind in RunPhase['kind']]: RunPhase } = {
  queued: { kind: 'queued' },
  beginning: { kind: 'beginning' },
  calling: { kind: 'calling', progress },
  deciding: { kind: 'deciding', progress, session },
  asking: { kind: 'asking', progress, session },
  answered: { kind: 'answered', progress },
  stepped: { kind: 'stepped', progress },
  settling: { kind: 'settling', progress },
  left: { kind: 'left', progress },
  failing: { kind: 'failing', progress },
  ended: { kind: 'ended', progress },
};

const EVENTS: { readonly [Kind in RunEvent['kind']]: RunEvent } = {
  clear: { kind: 'clear' },
  needless: { kind: 'needless' },
  begun: { kind: 'begun', iterationsBefore: 3, maxIterations: 9, seenMessageId: 'old' },
  called: { kind: 'called', session },
  stopped: { kind: 'stopped' },
  again: { kind: 'again' },
  leave: { kind: 'leave' },
  ask: { kind: 'ask' },
  saw: { kind: 'saw', messageId: 'new' },
  answered: { kind: 'answered' },
  stepped: { kind: 'stepped', counts: true },
  resumed: { kind: 'resumed' },
  over: { kind: 'over' },
  fail: { kind: 'fail' },
};

const phaseCalled = (name: string): RunPhase =>
  Object.values(PHASES).find(({ kind }) => kind === name) ?? expect.fail(`no phase ${name}`);
const eventCalled = (name: string): RunEvent =>
  Object.values(EVENTS).find(({ kind }) => kind === name) ?? expect.fail(`no event ${name}`);
const progressOf = (phase: RunPhase): RunProgress | undefined => ('progress' in phase ? phase.progress : undefined);

const TABLE = readTransitionTable(readFileSync(new URL('../../src/run/run-phase.ts', import.meta.url), 'utf8'));
const [ILLEGAL, LEGAL] = [
  TABLE.filter(({ next }) => next === undefined),
  TABLE.filter(({ next }) => next !== undefined),
];

test('the table of the run has a cell for every phase and every event', () => {
  const pairs = Object.keys(EVENTS).flatMap((event) => Object.keys(PHASES).map((phase) => `${phase} ${event}`));
  expect(TABLE.map(({ state, event }) => `${state} ${event}`)).toEqual(pairs);
});

test.for(LEGAL)('P5: a run that is $state moves on $event as its table says', ({ state, event, next, effects }) => {
  expect(nextPhase(phaseCalled(state), eventCalled(event)).kind).toBe(next);
  expect(effects).toEqual([]);
});

test.for(ILLEGAL)('a run that is $state throws on $event', ({ state, event }) => {
  const move = (): unknown => nextPhase(phaseCalled(state), eventCalled(event));
  expect(move).toThrow(`a run that is ${state} cannot handle ${event}`);
});

test('a run that begins has made no response yet', () => {
  const { iterationsBefore, maxIterations, seenMessageId } = progress;
  const begun = { iterations: 0, iterationsBefore, maxIterations, seenMessageId };
  expect(nextPhase(PHASES.beginning, EVENTS.begun)).toEqual({ kind: 'calling', progress: begun });
});

test('a condensation is no response of the model', () => {
  const after = (counts: boolean): RunPhase => nextPhase(PHASES.asking, { kind: 'stepped', counts });
  expect(after(false)).toEqual({ kind: 'stepped', progress });
  expect(after(true)).toEqual({ kind: 'stepped', progress: { ...progress, iterations: 3 } });
});

test('a run that fails before it began has no progress, so that a hand-over records it first', () => {
  for (const phase of [PHASES.queued, PHASES.beginning]) {
    const failing = nextPhase(phase, EVENTS.fail);
    expect(failing).toEqual({ kind: 'failing', progress: undefined });
    expect(nextPhase(failing, EVENTS.saw)).toEqual(failing);
  }
});

test('P5: a run counts every response once, keeps what it saw, and ends for good through any events', () => {
  const events = fc.array(fc.constantFrom(...Object.values(EVENTS)), { maxLength: 200 });
  fc.assert(
    fc.property(events, (sequence) => {
      let phase = phaseCalled('queued');
      let [responses, seen] = [0, undefined as string | null | undefined];
      for (const event of sequence) {
        if (ILLEGAL.some((cell) => cell.state === phase.kind && cell.event === event.kind)) continue;
        const before = phase;
        phase = nextPhase(before, event);
        if (event.kind === 'stepped') responses++;
        if (event.kind === 'begun') seen = event.seenMessageId;
        if (event.kind === 'saw' && seen !== undefined) seen = event.messageId;
        expect(progressOf(phase)?.iterations ?? 0).toBe(responses);
        expect(progressOf(phase)?.seenMessageId).toBe(seen);
        expect([before.kind, phase.kind] as const).not.toSatisfy(
          ([from, to]: readonly string[]) => from === 'ended' && to !== 'ended',
        );
      }
    }),
  );
});
