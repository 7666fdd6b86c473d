import { drafts, userMessage, type Event } from '@conv/core/events';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createStuckDetector, foldEvents, isStuck } from '../src/index.ts';
import { errorAround, failure, History, rejected, type Result, times } from './history.ts';

type Happening =
  | { readonly calls: readonly { readonly name: number; readonly result: number }[]; readonly seed: number }
  | 'say'
  | 'condense'
  | 'hook'
  | 'warn'
  | 'ask';

const results: readonly Result[] = ['ok', 'pid 12', failure('no'), errorAround('no'), rejected()];

/** Generates the events of a turn from a small set, so that loops come about. */
const happening: fc.Arbitrary<Happening> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      calls: fc.array(fc.record({ name: fc.nat(2), result: fc.nat(4) }), { minLength: 1, maxLength: 3 }),
      seed: fc.nat(),
    }),
  },
  { weight: 2, arbitrary: fc.constantFrom<Happening>('say', 'condense', 'hook', 'warn') },
  { weight: 1, arbitrary: fc.constant<Happening>('ask') },
);

function play(happenings: readonly Happening[]): History<unknown> {
  const history = new History(createStuckDetector());
  for (const each of happenings) {
    if (typeof each === 'object') {
      const order = each.calls
        .map((_, index) => index)
        .toSorted((one, other) => ((one * 7 + each.seed) % 5) - ((other * 7 + each.seed) % 5));
      history.respond(
        each.calls.map(({ name, result }) => ({ command: `cat ${name}`, result: results[result] ?? 'ok' })),
        order,
      );
    } else if (each === 'say') history.say();
    else if (each === 'condense') history.condense();
    else if (each === 'ask') history.ask();
    else if (each === 'warn' && history.finding?.action === 'warn') history.warn();
    else
      history.add(drafts.hookExecution({ hook_event_type: 'Stop', hook_command: 'true', success: true, exit_code: 0 }));
  }
  return history;
}

function deepFreeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const field of Object.values(value)) deepFreeze(field);
}

describe('the fold', () => {
  test('the fold is pure: the same events give the same states, and no earlier state is changed', () => {
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 40 }), (happenings) => {
        const { events, state } = play(happenings);
        const detector = createStuckDetector();
        deepFreeze(detector.initial);
        let frozen = detector.initial;
        for (const event of events) {
          frozen = detector.apply(frozen, event);
          deepFreeze(frozen);
          detector.find(frozen);
        }
        expect(frozen).toEqual(state);
      }),
    );
  });

  test('folding from the last message of the user gives the same as folding everything', () => {
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 40 }), (happenings) => {
        const { events, finding } = play(happenings);
        const from = events.findLastIndex((event) => event.kind === 'MessageEvent' && event.source === 'user');
        const detector = createStuckDetector();
        expect(detector.find(foldEvents(detector, events.slice(Math.max(0, from))))).toEqual(finding);
        expect(isStuck(detector, events)).toBe(finding?.action === 'stop');
      }),
    );
  });

  test('the fold has nothing to report right after a warning', () => {
    fc.assert(
      fc.property(fc.array(happening, { maxLength: 60 }), (happenings) => {
        const { events } = play(happenings);
        const detector = createStuckDetector();
        const behindWarnings = events.flatMap((event, index) =>
          isWarning(event) ? [detector.find(foldEvents(detector, events.slice(0, index + 1)))] : [],
        );
        expect(behindWarnings.filter((finding) => finding !== undefined)).toEqual([]);
      }),
    );
  });

  test('the fold keeps its state bounded', () => {
    const sizes: number[] = [];
    const history = new History(createStuckDetector());
    times(600, (index) => {
      history.respond([{ command: `cat ${index % 12}` }, { command: `cat ${index}` }]);
      if (index % 50 === 49) {
        history.condense();
        sizes.push(JSON.stringify(history.state).length);
      }
    });
    expect(Math.max(...sizes.slice(2)) - Math.min(...sizes.slice(2))).toBeLessThan(1_000);
  });
});

describe('findings', () => {
  test('findings are empty in a history in which nothing repeats', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            calls: fc.integer({ min: 1, max: 4 }),
            result: fc.nat(4),
            before: fc.constantFrom('say', 'condense', 'none'),
          }),
          { maxLength: 60 },
        ),
        (turns) => {
          const history = new History(createStuckDetector());
          let made = 0;
          for (const { calls, result, before } of turns) {
            if (before === 'say') history.say();
            if (before === 'condense') history.condense();
            history.respond(
              Array.from({ length: calls }, () => ({ command: `cat ${(made += 1)}`, result: results[result] ?? 'ok' })),
            );
            expect(history.verdict).toBe(undefined);
          }
        },
      ),
    );
  });

  test('any cycle is found, whatever its calls and the history before it', () => {
    const word = fc.array(fc.nat(5), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(fc.array(fc.nat(5), { maxLength: 20 }), word, (prefix, cycle) => {
        const history = new History(createStuckDetector());
        for (const name of prefix) history.call(`cat ${name}`);
        times(4, () => {
          for (const name of cycle) history.call(`cat ${name}`);
        });
        expect(history.finding?.action).toBe('warn');
      }),
    );
  });

  test('repeats, alternations and cycles are the same as a look at the whole history shows', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(2), { maxLength: 48 }), fc.nat(11), fc.nat(4), (random, length, rounds) => {
        const names = [...random, ...Array.from({ length: rounds }, () => random.slice(0, length + 1)).flat()];
        const history = new History(createStuckDetector());
        for (const name of names) history.call(`cat ${name}`);
        expect(history.finding?.pattern).toBe(patternOf(names));
      }),
      { numRuns: 300 },
    );
  });

  test('the order in which the results of a batch come changes nothing', () => {
    fc.assert(
      fc.property(
        fc.array(fc.shuffledSubarray([0, 1, 2, 3], { minLength: 4 }), { minLength: 3, maxLength: 5 }),
        (orders) => {
          const calls = [0, 1, 2, 3].map((name) => ({ command: `cat ${name}`, result: results[name] ?? 'ok' }));
          const [ordered, shuffled] = [new History(createStuckDetector()), new History(createStuckDetector())];
          for (const order of orders) {
            ordered.respond(calls);
            shuffled.respond(calls, order);
            expect(shuffled.finding?.message).toBe(ordered.finding?.message);
          }
          expect(shuffled.verdict).toBe('warn cycle');
        },
      ),
    );
  });
});

test('events of unknown kinds, and events before a message of the user, are ignored', () => {
  const detector = createStuckDetector();
  const history = new History(detector);
  times(3, () => history.call('ls'));
  const unknown = { id: 'x', timestamp: '2026-03-01T10:00:00.000001', source: 'agent', kind: 'NewEvent' } as Event;
  expect(detector.apply(history.state, unknown)).toBe(history.state);
  history.add(userMessage('Go on.'));
  expect(history.state).toBe(detector.initial);
});

function isWarning(event: Event): boolean {
  return event.kind === 'MessageEvent' && event.source === 'environment';
}

/** Returns the result of an exhaustive check of all names, shortest round first. */
function patternOf(names: readonly number[]): string | undefined {
  const needed = (length: number): number => (length === 1 ? 4 : 3 * length);
  const isRound = (length: number, over: number): boolean => {
    const last = names.slice(-over);
    return last.length === over && last.every((name, index) => index < length || name === last[index - length]);
  };
  for (let length = 1; length <= 12; length += 1) {
    const over = needed(length);
    const shorter = Array.from({ length: length - 1 }, (_, index) => index + 1).filter((each) => length % each === 0);
    if (isRound(length, over) && !shorter.some((each) => isRound(each, over)))
      return length === 1 ? 'repeat' : length === 2 ? 'alternating' : 'cycle';
  }
  return undefined;
}
