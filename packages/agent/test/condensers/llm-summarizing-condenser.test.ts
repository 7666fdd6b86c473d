import { eventGuards, isEvent } from '@conv/core/events';
import { call, calls, fail, hang, type ModelRequest, say } from '@conv/testing-model-server';
import { describe, expect, test } from 'vitest';
import { llmSummarizingCondenser, type LlmSummarizingCondenserOptions, openaiCompatible } from '../../src/index.ts';
import { type Scene, scene } from '../support/bench.ts';
import { secretsOf } from '../support/masking.ts';
import { look } from '../support/tools.ts';

const small = { maxSize: 10, keepFirst: 2 };
const TOO_LONG = fail(400, {
  code: 'context_length_exceeded',
  message: "This model's maximum context length is 8192 tokens",
});

/** A model that looks until it is asked for notes, and then goes on. */
function looking(
  rounds: number,
  notes: (request: ModelRequest) => ReturnType<typeof say>,
): (request: ModelRequest) => ReturnType<typeof call> {
  let left = rounds;
  return (request) => {
    if (isNotesRequest(request)) return notes(request);
    left -= 1;
    return left >= 0 ? call('look', { what: `round ${left}` }) : say('done');
  };
}

function isNotesRequest({ tools }: ModelRequest): boolean {
  return tools.length === 0;
}

function asked({ server }: Scene): readonly ModelRequest[] {
  return server.requests.filter(isNotesRequest);
}

function textOf({ messages }: ModelRequest): string {
  return messages.map(({ text }) => text).join('\n');
}

test('a history that grew too long is summarised before the model is asked, as a step of its own', async () => {
  await using stage = await scene(
    looking(6, () => say('These are the notes.')),
    {
      agent: { tools: [look], condenser: llmSummarizingCondenser(small) },
    },
  );
  const { bench, server } = stage;
  bench.streams = true;
  bench.say('Look six times.');
  const outcomes: string[] = [];
  for (let round = 0; round < 9; round++) {
    outcomes.push(await bench.step());
    await bench.executePending();
    if (outcomes.at(-1) === 'finished') break;
  }
  expect(outcomes).toEqual([
    'continue',
    'continue',
    'continue',
    'continue',
    'continue',
    'condensed',
    'continue',
    'finished',
  ]);
  const [condensed] = bench.ofKind('Condensation');
  expect(condensed).toMatchObject({
    summary: 'These are the notes.',
    summary_offset: 2,
    llm_response_id: 'chatcmpl-6',
  });
  expect(bench.commits.at(bench.commits.indexOf(1, 3))).toBe(1);
  expect(bench.records.map(({ usageId }) => usageId).filter((id) => id === 'condenser')).toHaveLength(1);
  const [notes] = asked(stage);
  expect([notes?.stream, notes?.messages.map(({ role }) => role)]).toEqual([false, ['system', 'user']]);
  expect(bench.tokens.map(({ text }) => text).join('')).not.toContain('notes');
  const next = server.requests.at(-1);
  expect(next?.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'assistant', 'tool']);
  expect(next?.messages[1]?.text).toContain('Look six times.');
  expect(next?.messages[1]?.text).toContain('These are the notes.');
});

test('the summary request has what is forgotten in words, earlier notes apart, and nothing that stays', async () => {
  let number = 0;
  const condenser = llmSummarizingCondenser(small);
  await using stage = await scene(
    looking(9, () => say(`notes no. ${++number}`)),
    { agent: { tools: [look], condenser } },
  );
  stage.bench.say('Look nine times.');
  await stage.bench.run();
  const [first, second] = asked(stage).map(textOf);
  expect(first).toMatch(/agent: calls look \{"what": "round 8"\}\n\nresult of look: .*\nround 8 seen\n\n/);
  expect(first).not.toContain('round 4');
  expect(first).not.toContain('Look nine times.');
  expect(first).not.toContain('<notes>');
  expect(second).toContain('<notes>\nearlier notes: notes no. 1\n</notes>');
  expect(stage.bench.ofKind('Condensation')).toHaveLength(2);
  const view = stage.bench.condensableView().events;
  expect(view.filter((event) => isEvent(event, 'CondensationSummaryEvent'))).toMatchObject([
    { summary: 'notes no. 2' },
  ]);
});

test('P5: a batch is forgotten as a whole', async () => {
  const batch = calls([1, 2, 3].map((which) => ({ name: 'look', arguments: { what: `${which}` } })));
  await using stage = await scene([batch, batch, say('notes'), say('done')], {
    agent: { tools: [look], condenser: llmSummarizingCondenser(small) },
  });
  stage.bench.say('Look.');
  await stage.bench.run();
  const forgotten = stage.bench.ofKind('Condensation')[0]?.forgotten_event_ids ?? [];
  expect(stage.bench.events.filter(({ id }) => forgotten.includes(id)).map(({ kind }) => kind)).toEqual([
    ...Array<string>(3).fill('ActionEvent'),
    ...Array<string>(3).fill('ObservationEvent'),
  ]);
  expect(stage.bench.condensableView().events.filter(eventGuards.isObservationLike)).toHaveLength(3);
});

test('a model of its own writes the summaries and is counted and described as such', async () => {
  await using other = await scene([say('from the other model')]);
  const model = openaiCompatible('small-model', { baseUrl: other.server.url, apiKey: 'sk-of-the-condenser' });
  await using stage = await scene(
    looking(5, () => say('not asked')),
    {
      agent: { tools: [look], condenser: llmSummarizingCondenser({ ...small, model }) },
    },
  );
  stage.bench.say('Look.');
  await stage.bench.run();
  expect(stage.bench.ofKind('Condensation')).toMatchObject([{ summary: 'from the other model' }]);
  expect(stage.bench.records.filter(({ usageId }) => usageId === 'condenser')).toMatchObject([
    { model: 'openai/small-model' },
  ]);
});

test('an optional condensation waits when no summary comes: one attempt, and the agent continues', async () => {
  let tries = 0;
  const script = looking(5, () => {
    tries += 1;
    return fail(503) as never;
  });
  await using stage = await scene(script, { agent: { tools: [look], condenser: llmSummarizingCondenser(small) } });
  stage.bench.say('Look.');
  await stage.bench.run();
  expect(tries).toBe(1);
  expect(stage.bench.ofKind('Condensation')).toEqual([]);
  expect(stage.bench.ofKind('MessageEvent').at(-1)?.source).toBe('agent');
});

test('a required condensation fails the step when no summary comes, and the next step requires it again', async () => {
  const script = [call('look', { what: 'x' }), fail(401), say('notes'), say('done')];
  const condenser = llmSummarizingCondenser({ maxTokens: 6000 });
  await using stage = await scene(script, { agent: { tools: [look], condenser } });
  stage.bench.say('Look. '.repeat(2000));
  await stage.bench.step();
  await stage.bench.executePending();
  stage.bench.say('Look. '.repeat(2000));
  await expect(stage.bench.step()).rejects.toMatchObject({ code: 'AUTHENTICATION' });
  expect(await stage.bench.step()).toBe('condensed');
  expect(await stage.bench.step()).toBe('finished');
});

test('an interrupt cancels the call for a summary', async () => {
  const script = [call('look', { what: 'x' }), hang()];
  const condenser = llmSummarizingCondenser({ maxTokens: 6000 });
  await using stage = await scene(script, { agent: { tools: [look], condenser } });
  stage.bench.say('Look. '.repeat(2000));
  await stage.bench.step();
  await stage.bench.executePending();
  stage.bench.say('Look. '.repeat(2000));
  const controller = new AbortController();
  const stepping = stage.bench.step(controller.signal);
  await stage.server.request(1);
  controller.abort(new Error('enough'));
  await expect(stepping).rejects.toThrow('enough');
  expect(stage.bench.ofKind('Condensation')).toEqual([]);
});

test('events that are too long for a summary are cut further with each try', async () => {
  const lengths: number[] = [];
  const script = [
    call('look', { what: 'x'.repeat(40_000) }),
    ...Array.from({ length: 4 }, () => (request: ModelRequest) => {
      lengths.push(textOf(request).length);
      return TOO_LONG;
    }),
    (request: ModelRequest) => {
      lengths.push(textOf(request).length);
      return say('notes');
    },
    say('done'),
  ];
  const condenser = llmSummarizingCondenser({ maxTokens: 5000 });
  await using stage = await scene(script, { agent: { tools: [look], condenser } });
  stage.bench.say('Look.');
  await stage.bench.run();
  expect(lengths).toHaveLength(5);
  const own = lengths.map((length) => length - 2500);
  for (let at = 1; at < own.length; at++) expect((own[at] ?? 0) / (own[at - 1] ?? 1)).toBeCloseTo(0.8, 1);
  expect(stage.bench.ofKind('Condensation')).toHaveLength(1);
});

test('the step fails with what the provider said after the last try', async () => {
  const script = [call('look', { what: 'x'.repeat(40_000) }), TOO_LONG, TOO_LONG];
  const condenser = llmSummarizingCondenser({ maxTokens: 5000, resetAttempts: 2 });
  await using stage = await scene(script, { agent: { tools: [look], condenser } });
  stage.bench.say('Look.');
  await stage.bench.step();
  await stage.bench.executePending();
  await expect(stage.bench.step()).rejects.toMatchObject({ code: 'CONTEXT_WINDOW_EXCEEDED' });
});

test('events beyond a summariser’s known window are cut before it is asked', async () => {
  const script = [call('look', { what: 'x'.repeat(45_000) }), say('notes'), say('done')];
  const condenser = llmSummarizingCondenser();
  const model = { contextWindow: 8000 };
  await using stage = await scene(script, { agent: { tools: [look], condenser }, model });
  stage.bench.say('Look.');
  await stage.bench.run();
  const [notes] = asked(stage);
  expect(textOf(notes as ModelRequest).length).toBeLessThan(8000 * 4);
});

test('P9: a value is masked before a text is cut', async () => {
  const value = 'correct-horse-battery-staple';
  const condenser = llmSummarizingCondenser({ maxTokens: 5000 });
  const script = [call('look', { what: value.repeat(1400) }), say('notes'), say('done')];
  await using stage = await scene(script, {
    agent: { tools: [look], condenser },
    model: { contextWindow: 6000 },
    session: { secrets: secretsOf(value) },
  });
  stage.bench.say('Look.');
  await stage.bench.run();
  const text = textOf(asked(stage)[0] as ModelRequest);
  expect(text).toContain('<secret-hidden>');
  expect(text).not.toContain('horse');
});

describe('options', () => {
  const wrong: readonly (readonly [string, LlmSummarizingCondenserOptions])[] = [
    ['maxSize', { maxSize: 0 }],
    ['maxSize', { maxSize: 2.5 }],
    ['maxTokens', { maxTokens: 0 }],
    ['maxTokens', { maxTokens: Number.NaN }],
    ['keepFirst', { keepFirst: -1 }],
    ['keepFirst', { maxSize: 20, keepFirst: 9 }],
    ['minimumProgress', { minimumProgress: 0 }],
    ['minimumProgress', { minimumProgress: 1 }],
    ['resetAttempts', { resetAttempts: 0 }],
    ['resetScaling', { resetScaling: 1 }],
  ];
  test.each(wrong)('P13: a wrong %s is refused by name: %o', (name, options) => {
    expect(() => llmSummarizingCondenser(options)).toThrow(
      expect.objectContaining({ code: 'INVALID_OPTION', message: expect.stringContaining(name) }) as Error,
    );
  });

  test('the largest keepFirst leaves room for a summary and an end', () => {
    expect(() => llmSummarizingCondenser({ maxSize: 20, keepFirst: 8 })).not.toThrow();
  });
});
