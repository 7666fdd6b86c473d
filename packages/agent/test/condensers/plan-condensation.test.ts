import fc from 'fast-check';
import { drafts, eventGuards, type Event, isEvent } from '@conv/core/events';
import { systemPlatform } from '@conv/core/platform';
import { describe, expect, test } from 'vitest';
import type { CondenseOptions } from '../../src/condensers/condenser.ts';
import { inputLimit } from '../../src/condensers/count-tokens.ts';
import {
  type CondensingLimits,
  type CondensationPlan,
  planCondensation,
} from '../../src/condensers/plan-condensation.ts';
import type { Model } from '../../src/index.ts';
import { History } from '../support/history.ts';
import { scriptedModel } from '../support/scripted-model.ts';

const limits: CondensingLimits = { maxSize: 20, maxTokens: undefined, keepFirst: 2, minimumProgress: 0.1 };
const model: Model = scriptedModel([]);

function plan(
  history: History,
  more: Partial<CondenseOptions> = {},
  own: Partial<CondensingLimits> = {},
): CondensationPlan | undefined {
  const input: CondenseOptions = {
    view: history.view,
    requested: false,
    reset: false,
    model,
    conversationId: 'a-conversation',
    lastCall: undefined,
    mask: (text) => text,
    platform: systemPlatform,
    signal: new AbortController().signal,
    ...more,
  };
  return planCondensation(input, { ...limits, ...own });
}

/** The view after the condensation of this plan. */
function after(history: History, { forgotten, offset }: CondensationPlan): readonly Event[] {
  history.add(
    drafts.condensation({
      forgotten_event_ids: forgotten.map(({ id }) => id),
      summary: 'what was',
      summary_offset: offset,
      llm_response_id: 'summary',
    }),
  );
  return history.view.events;
}

function working(times: number, called: Parameters<History['work']>[0] = {}): History {
  const history = new History().say();
  for (let time = 0; time < times; time++) history.work(called);
  return history;
}

describe('when', () => {
  test('nothing happens up to maxSize events, and one more asks for a condensation that may wait', () => {
    const history = working(9);
    expect(history.view.events).toHaveLength(20);
    expect(plan(history)).toBeUndefined();
    expect(plan(history.say())).toMatchObject({ hard: false });
  });

  test('more tokens than maxTokens demand a condensation', () => {
    const history = working(6, { result: 4000 });
    expect(plan(history, {}, { maxTokens: 20_000 })).toBeUndefined();
    expect(plan(history, {}, { maxTokens: 5000 })).toMatchObject({ hard: true });
  });

  test("more tokens than the model's window, less what answers may take, demand a condensation", async () => {
    const history = working(6, { result: 4000 });
    const within = async (window: Partial<Model>): Promise<CondensationPlan | undefined> =>
      plan(history, {}, { maxTokens: await inputLimit({ ...model, ...window }) });
    expect(await within({ contextWindow: 7000 })).toBeUndefined();
    expect(await within({ contextWindow: 7000, settings: { maxOutputTokens: 2000 } })).toMatchObject({ hard: true });
  });

  test('the provider’s count holds for all that it read, and the estimate for later events', () => {
    const history = working(3, { result: 4000 });
    const last = history.events.findLast((event) => isEvent(event, 'ActionEvent'));
    const lastCall = { responseId: last?.llm_response_id ?? '', tokens: 90_000 };
    expect(plan(history, {}, { maxTokens: 90_500 })).toBeUndefined();
    expect(plan(history, { lastCall }, { maxTokens: 90_500 })).toMatchObject({ hard: true });
    expect(plan(history, { lastCall }, { maxTokens: 95_000 })).toBeUndefined();
    expect(plan(history, { lastCall: { ...lastCall, responseId: 'other' } }, { maxTokens: 90_500 })).toBeUndefined();
  });

  test('the estimate is corrected by how far it was off at the last call', () => {
    const history = working(8, { result: 4000 });
    const last = history.events.findLast((event) => isEvent(event, 'ActionEvent'));
    const lastCall = { responseId: last?.llm_response_id ?? '', tokens: 14_500 };
    // twice the estimate: half as many results stay within half of the limit
    const planned = plan(history, { lastCall }, { maxTokens: 16_000 }) as CondensationPlan;
    expect(after(history, planned).filter(eventGuards.isObservationLike)).toHaveLength(3);
  });

  test('a count from before a condensation says nothing of what is left', () => {
    const history = working(6);
    const last = history.events.findLast((event) => isEvent(event, 'ActionEvent'));
    const forgotten = history.ids.slice(2, 6);
    history.condense({ forgotten_event_ids: [...forgotten], summary: 's', summary_offset: 2, llm_response_id: 'c' });
    const lastCall = { responseId: last?.llm_response_id ?? '', tokens: 90_000 };
    expect(plan(history, { lastCall }, { maxTokens: 50_000 })).toBeUndefined();
  });

  test('a limit that prompts and tools alone exceed demands no condensation, which would come at each step', () => {
    const history = working(6, { result: 4000 });
    expect(plan(history, {}, { maxTokens: 1000 })).toBeUndefined();
  });

  test('a request demands a condensation, however short the history is', () => {
    expect(plan(working(4), { requested: true })).toMatchObject({ hard: true });
  });
});

describe('what', () => {
  test('the first events and the end stay, together with the summary half of maxSize', () => {
    const history = working(12).say();
    const before = history.view.events;
    const planned = plan(history) as CondensationPlan;
    const left = after(history, planned);
    expect(left.length).toBeLessThanOrEqual(10);
    expect(left.slice(0, 2)).toEqual(before.slice(0, 2));
    expect(isEvent(left[2] as Event, 'CondensationSummaryEvent')).toBe(true);
    expect(left.slice(3)).toEqual(before.slice(-(left.length - 3)));
  });

  test('P5: batches stay whole: the cut moves behind the batch that it would go through', () => {
    const history = working(4, { calls: 4 });
    const before = history.ids;
    const left = after(history, plan(history) as CondensationPlan).map(({ id }) => id);
    expect(left.slice(3)).toEqual(before.slice(2 + 3 * 8));
    expect(left.length).toBe(3 + 8);
  });

  test('a run of reasoning that is longer than the half goes as a whole or stays as a whole', () => {
    const history = new History().say();
    for (let time = 0; time < 4; time++) history.work();
    history.work({ thinking: true });
    for (let time = 0; time < 8; time++) history.work();
    const before = history.ids;
    // the run reaches to the end, so the only legal end before it is where it begins
    const left = after(history, plan(history) as CondensationPlan).map(({ id }) => id);
    expect(left.slice(3)).toEqual(before.slice(10));
  });

  test('a condensation that may wait waits without a legal cut, and a demanded one leaves the system prompt', () => {
    const history = new History().say();
    history.work({ thinking: true });
    for (let time = 0; time < 12; time++) history.work();
    expect(plan(history)).toBeUndefined();
    const hard = plan(history, { requested: true, reset: true }, { keepFirst: 3 }) as CondensationPlan;
    const left = after(history, hard);
    expect(left.map(({ kind }) => kind)).toEqual(['SystemPromptEvent', 'CondensationSummaryEvent']);
  });

  test('events before the first events stay when a condensation is demanded and they run into the cut', () => {
    const history = new History().say();
    history.work({ thinking: true });
    for (let time = 0; time < 12; time++) history.work();
    const hard = plan(history, { requested: true }, { keepFirst: 3 }) as CondensationPlan;
    const left = after(history, hard);
    expect(left.map(({ kind }) => kind)).toEqual(['SystemPromptEvent', 'MessageEvent', 'CondensationSummaryEvent']);
  });

  test('a condensation below the minimum is not made; a demanded one then takes everything', () => {
    const history = new History().say().work().work({ thinking: true });
    for (let time = 0; time < 20; time++) history.work();
    expect(plan(history, {}, { minimumProgress: 0.5 })).toBeUndefined();
    const hard = plan(history, { requested: true }, { minimumProgress: 0.97, keepFirst: 5 }) as CondensationPlan;
    expect(after(history, hard)).toHaveLength(2);
  });

  test('a condensation by tokens frees half of the limit', () => {
    const history = working(8, { result: 4000 });
    const planned = plan(history, {}, { maxTokens: 8000 }) as CondensationPlan;
    const left = after(history, planned);
    // 1,008 tokens for a result and 10 for its call, of 4,000 less what is kept and the summary
    expect(left.filter(eventGuards.isObservationLike)).toHaveLength(2);
  });

  test('an earlier summary is among what is forgotten, and the new one stands where it stood', () => {
    const history = working(12);
    after(history, plan(history) as CondensationPlan);
    for (let time = 0; time < 8; time++) history.work();
    const second = plan(history) as CondensationPlan;
    expect(second.forgotten[0]?.kind).toBe('CondensationSummaryEvent');
    const left = after(history, second);
    expect(left.map(({ kind }) => kind).slice(0, 4)).toEqual([
      'SystemPromptEvent',
      'MessageEvent',
      'CondensationSummaryEvent',
      'ActionEvent',
    ]);
  });

  test('a message without an answer yet stays, unless it is long itself', () => {
    const short = working(4).say('the newest wish');
    expect(after(short, plan(short, { requested: true, reset: true }) as CondensationPlan).at(-1)).toMatchObject({
      llm_message: { content: [{ text: 'the newest wish' }] },
    });
    const long = working(4).say('long '.repeat(10_000));
    expect(after(long, plan(long, { requested: true, reset: true }) as CondensationPlan)).toHaveLength(2);
  });

  test('a history whose only removable event is a summary is not condensed', () => {
    const history = working(4);
    after(history, plan(history, { requested: true, reset: true }) as CondensationPlan);
    expect(plan(history, { requested: true })).toBeUndefined();
    expect(plan(new History(), { requested: true })).toBeUndefined();
  });

  test('P12: the ids of a condensation fit into one event, however long the history was', () => {
    const history = working(20_000);
    const planned = plan(history) as CondensationPlan;
    expect(planned.forgotten).toHaveLength(15_000);
    expect(JSON.stringify(planned.forgotten.map(({ id }) => id.padStart(36))).length).toBeLessThan(700_000);
  });
});

const happenings = fc.array(
  fc.oneof(
    fc.constant({ do: 'say' as const }),
    fc.constant({ do: 'reply' as const }),
    fc.constant({ do: 'condense' as const }),
    fc.record({
      do: fc.constant('work' as const),
      calls: fc.integer({ min: 1, max: 3 }),
      thinking: fc.boolean(),
      result: fc.constantFrom(4, 4000),
      answered: fc.constantFrom(undefined, undefined, undefined, 0, 1),
    }),
  ),
  { maxLength: 60, size: 'max' },
);

test('P5: a condensation leaves whole batches with one result for each call, and takes what it names', () => {
  const reasons = fc.record({
    requested: fc.boolean(),
    reset: fc.boolean(),
    maxSize: fc.integer({ min: 8, max: 30 }),
    maxTokens: fc.constantFrom(undefined, 3000, 10_000),
    keepFirst: fc.integer({ min: 0, max: 2 }),
  });
  fc.assert(
    fc.property(happenings, reasons, (happened, { requested, reset, ...own }) => {
      const history = new History().say();
      const condenseNow = (): void => {
        const before = history.view.events;
        const planned = plan(history, { requested, reset }, own);
        if (!planned) return;
        expect(planned.forgotten.length).toBeGreaterThan(0);
        const gone = new Set(planned.forgotten.map(({ id }) => id));
        const left = after(history, planned);
        const kept = left.filter((event) => !isEvent(event, 'CondensationSummaryEvent') || before.includes(event));
        expect(kept.map(({ id }) => id).filter((id) => !id.endsWith('-summary'))).toEqual(
          before.map(({ id }) => id).filter((id) => !gone.has(id) && !id.endsWith('-summary')),
        );
        expect(left.length).toBeLessThanOrEqual(before.length);
        check(left, history.events);
      };
      for (const { do: what, ...called } of happened) {
        if (what === 'say') history.say();
        else if (what === 'reply') history.reply();
        else if (what === 'condense') condenseNow();
        else history.work(called as Parameters<History['work']>[0]);
      }
      condenseNow();
    }),
    { numRuns: 300 },
  );
});

/** Checks the demands of providers on a history: whole batches, one result for each call, the system prompt first. */
function check(view: readonly Event[], all: readonly Event[]): void {
  const calls = view.filter((event) => isEvent(event, 'ActionEvent'));
  const results = view.filter(eventGuards.isObservationLike).map((event) => event.tool_call_id);
  expect(results.toSorted()).toEqual(calls.map((event) => event.tool_call_id).toSorted());
  const responses = new Set(calls.map((event) => event.llm_response_id));
  const made = all.filter((event) => isEvent(event, 'ActionEvent') && responses.has(event.llm_response_id));
  expect(calls.map(({ id }) => id)).toEqual(made.map(({ id }) => id));
  expect(view[0]?.kind).toBe('SystemPromptEvent');
}
