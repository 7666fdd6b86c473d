import { drafts, isEvent } from '@conv/core/events';
import { call, fail, type ModelRequest, say, toolResults } from '@conv/testing-model-server';
import { describe, expect, test } from 'vitest';
import { type Condenser, llmSummarizingCondenser, noCondenser, openaiCompatible } from '../../src/index.ts';
import { type Scene, scene } from '../support/bench.ts';
import { look } from '../support/tools.ts';

const TOO_LONG = fail(400, {
  code: 'context_length_exceeded',
  message: "This model's maximum context length is 8192 tokens",
});
const MALFORMED = fail(400, {
  message:
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.",
});
const condenser = llmSummarizingCondenser({ maxSize: 40, keepFirst: 1 });

function kindsAfter({ bench }: Scene, from: number): string[] {
  return bench.kinds().slice(from);
}

async function looked(stage: Scene, times: number): Promise<number> {
  stage.bench.say('Look.');
  for (let time = 0; time < times; time++) {
    await stage.bench.step();
    await stage.bench.executePending();
  }
  return stage.bench.events.length;
}

const looks = (count: number): ReturnType<typeof call>[] =>
  Array.from({ length: count }, (_, number) => call('look', { what: `${number}` }));

describe('a context that overflows', () => {
  test('an overflowing context is condensed at the request of the agent, and the model is asked again', async () => {
    const script = [...looks(4), TOO_LONG, say('notes'), say('done')];
    await using stage = await scene(script, { agent: { tools: [look], condenser } });
    const before = await looked(stage, 4);
    expect([await stage.bench.step(), await stage.bench.step(), await stage.bench.step()]).toEqual([
      'condensed',
      'condensed',
      'finished',
    ]);
    expect(kindsAfter(stage, before)).toEqual(['CondensationRequest', 'Condensation', 'MessageEvent']);
    expect(stage.bench.condensableView().requested).toBe(false);
    // of ten events five are to be left, the summary among them, and half a round cannot be
    expect(stage.bench.condensableView().events).toHaveLength(5);
  });

  test('an overflowing context is condensed as a whole when the first condensation was not enough', async () => {
    const script = [...looks(4), TOO_LONG, say('notes'), TOO_LONG, say('notes of everything'), say('done')];
    await using stage = await scene(script, { agent: { tools: [look], condenser } });
    await looked(stage, 4);
    await stage.bench.run();
    expect(stage.bench.ofKind('Condensation').map(({ summary }) => summary)).toEqual(['notes', 'notes of everything']);
    expect(stage.bench.condensableView().events.map(({ kind }) => kind)).toEqual([
      'SystemPromptEvent',
      'CondensationSummaryEvent',
      'MessageEvent',
    ]);
  });

  test('an overflowing context ends the step when condensing does not help, and the next run tries again', async () => {
    const round = [TOO_LONG, say('notes'), TOO_LONG, say('notes of everything'), TOO_LONG];
    await using stage = await scene([...looks(4), ...round, ...looks(2), TOO_LONG, say('again'), say('done')], {
      agent: { tools: [look], condenser },
    });
    await looked(stage, 4);
    for (let steps = 0; steps < 4; steps++) expect(await stage.bench.step()).toBe('condensed');
    await expect(stage.bench.step()).rejects.toMatchObject({ code: 'CONTEXT_WINDOW_EXCEEDED' });
    await stage.bench.run();
    expect(stage.bench.ofKind('Condensation')).toHaveLength(3);
    expect(stage.bench.ofKind('MessageEvent').at(-1)?.source).toBe('agent');
  });

  test('an overflowing context ends the step at once when nothing can be condensed, and leaves no request', async () => {
    await using stage = await scene([TOO_LONG], { agent: { tools: [look], condenser } });
    stage.bench.say('Go');
    expect(await stage.bench.step()).toBe('condensed');
    await expect(stage.bench.step()).rejects.toMatchObject({ code: 'CONTEXT_WINDOW_EXCEEDED' });
    expect(stage.bench.condensableView().requested).toBe(false);
  });

  test('an overflowing context ends the step when the condenser takes no requests', async () => {
    await using stage = await scene([TOO_LONG], { agent: { tools: [look], condenser: noCondenser() } });
    stage.bench.say('Go');
    await expect(stage.bench.step()).rejects.toMatchObject({ code: 'CONTEXT_WINDOW_EXCEEDED' });
    expect(stage.bench.ofKind('CondensationRequest')).toEqual([]);
  });

  test('a condenser that always condenses does not keep the model from being asked', async () => {
    let condensed = 0;
    const eager = {
      handlesRequests: false,
      describe: () => ({ kind: 'Eager' }),
      condense: async () => {
        condensed += 1;
        return {
          draft: { source: 'environment', llm_response_id: `${condensed}`, kind: 'Condensation' } as const,
          records: [],
        };
      },
    };
    await using stage = await scene([say('done')], { agent: { condenser: eager } });
    stage.bench.say('Go');
    await stage.bench.run();
    expect(condensed).toBe(3);
  });
});

describe('a history whose form is refused', () => {
  test('a history of a refused form is condensed as a whole by a summary request without such a form', async () => {
    const script = [...looks(2), MALFORMED, say('notes of everything'), say('done')];
    await using stage = await scene(script, { agent: { tools: [look], condenser } });
    await looked(stage, 2);
    await stage.bench.run();
    const { requests } = stage.server;
    expect(requests[3]?.messages.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(requests[4]?.messages.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(requests[4]?.messages[1]?.text).toBe('notes of everything');
  });

  test('a history of a refused form fails the step when its summary is refused too', async () => {
    const script = [...looks(1), MALFORMED, say('notes'), MALFORMED];
    await using stage = await scene(script, { agent: { tools: [look], condenser } });
    await looked(stage, 1);
    expect([await stage.bench.step(), await stage.bench.step()]).toEqual(['condensed', 'condensed']);
    await expect(stage.bench.step()).rejects.toMatchObject({ code: 'MALFORMED_HISTORY' });
  });

  test('a refused history without a condenser is sent as a record without calls from then on', async () => {
    const refusing = (request: ModelRequest): ReturnType<typeof say> | typeof MALFORMED => {
      if (toolResults(request).some(({ arguments: args }) => args.includes('broken'))) return MALFORMED;
      return request.messages.at(-1)?.text.includes('more') ? say('done') : (call('look', { what: 'fine' }) as never);
    };
    let first = true;
    const script = (request: ModelRequest): ReturnType<typeof say> => {
      if (first) {
        first = false;
        return call('look', { what: 'broken' });
      }
      return refusing(request) as ReturnType<typeof say>;
    };
    await using stage = await scene(script, { agent: { tools: [look], condenser: null } });
    const { bench, server } = stage;
    bench.say('Look.');
    await bench.step();
    await bench.executePending();
    expect(await bench.step()).toBe('continue');
    expect(server.requests).toHaveLength(3);
    const [, record] = server.requests[2]?.messages.filter(({ role }) => role !== 'assistant') ?? [];
    expect(record?.text).toContain('[Record of the agent\'s work] agent: calls look {"what": "broken"}');
    expect(record?.text).toContain('broken seen');
    await bench.executePending();
    bench.say('more');
    expect(await bench.step()).toBe('finished');
    // the call that was made since is sent as a call, and no request was refused any more
    expect(server.requests).toHaveLength(4);
    expect(toolResults(server.requests[3] as ModelRequest).map(({ text }) => text)).toEqual([
      expect.stringContaining('fine seen'),
    ]);
    expect(bench.ofKind('ActionEvent')).toHaveLength(2);
  });

  test('a refused history without a condenser fails the step when the record is refused too', async () => {
    await using stage = await scene([...looks(1), MALFORMED, MALFORMED], { agent: { tools: [look], condenser: null } });
    await looked(stage, 1);
    await expect(stage.bench.step()).rejects.toMatchObject({ code: 'MALFORMED_HISTORY' });
  });
});

test('a request that came from outside is answered by the next step, and by `condense` without one', async () => {
  await using stage = await scene([...looks(4), say('notes'), say('notes again'), say('done')], {
    agent: { tools: [look], condenser },
  });
  const { bench } = stage;
  await looked(stage, 4);
  bench.append([{ source: 'environment', kind: 'CondensationRequest' }]);
  expect(await bench.step()).toBe('condensed');
  bench.append([{ source: 'environment', kind: 'CondensationRequest' }]);
  await bench.session.condense?.(bench.context());
  expect(bench.ofKind('Condensation').map(({ summary }) => summary)).toEqual(['notes', 'notes again']);
  expect(bench.condensableView().requested).toBe(false);
  expect(bench.condensableView().events.some((event) => isEvent(event, 'CondensationSummaryEvent'))).toBe(true);
});

describe('a request that the model of the condenser fails', () => {
  const REFUSED = fail(401);

  test("the model of the agent answers a request that the condenser's model fails", async () => {
    await using broken = await scene([REFUSED]);
    const cheap = openaiCompatible('cheap', { baseUrl: broken.server.url, retry: { attempts: 1 } });
    await using stage = await scene([...looks(4), say('notes'), say('done')], {
      agent: { tools: [look], condenser: llmSummarizingCondenser({ model: cheap }) },
    });
    const { bench } = stage;
    await looked(stage, 4);
    bench.append([{ source: 'environment', kind: 'CondensationRequest' }]);
    expect([await bench.step(), await bench.step()]).toEqual(['condensed', 'finished']);
    expect(bench.ofKind('Condensation')).toMatchObject([{ summary: 'notes' }]);
  });

  test("a failed condensation ends one step and not every later one, if the agent's model fails too", async () => {
    await using stage = await scene([...looks(4), REFUSED, say('done')], { agent: { tools: [look], condenser } });
    const { bench } = stage;
    await looked(stage, 4);
    bench.append([{ source: 'environment', kind: 'CondensationRequest' }]);
    await expect(bench.step()).rejects.toMatchObject({ code: 'AUTHENTICATION' });
    expect(await bench.step()).toBe('finished');
  });

  test.each<[string, Condenser['condense']]>([
    ['throws', () => Promise.reject(new TypeError('broken'))],
    [
      'makes what no event can be',
      async () => ({ draft: drafts.condensation({ llm_response_id: '', summary_offset: -1 }), records: [] }),
    ],
  ])('a condenser that %s does not end every later step', async (_, condense) => {
    const broken: Condenser = { handlesRequests: true, describe: () => ({ kind: 'Broken' }), condense };
    await using stage = await scene([say('done')], { agent: { condenser: broken } });
    const { bench } = stage;
    bench.say('Go.');
    bench.append([{ source: 'environment', kind: 'CondensationRequest' }]);
    await expect(bench.step()).rejects.toBeInstanceOf(Error);
    expect(bench.condensableView().requested).toBe(false);
  });
});

test('an agent whose condenser takes no requests has no way to condense', async () => {
  await using stage = await scene([], { agent: { condenser: noCondenser() } });
  await using none = await scene([], { agent: { condenser: null } });
  for (const { bench } of [stage, none]) expect('condense' in bench.session).toBe(false);
});
