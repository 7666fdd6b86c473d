import { defineTool, type Tool } from '@conv/core/tool';
import { call, drop, fail, hang, nonsense, say, type Script } from '@conv/testing-model-server';
import { leaks } from '@conv/testing-harness';
import { expect, test } from 'vitest';
import { z } from 'zod';

import { createAgent, openaiCompatible, taskTool, titleFor } from '../src/index.ts';
import { scene, type Scene, type SceneOptions } from './support/bench.ts';
import { ScriptedChildren } from './support/children.ts';
import { scriptedProvider } from './support/scripted-provider.ts';
import { look } from './support/tools.ts';

const broken: Tool = defineTool({
  name: 'broken',
  description: 'Fails.',
  input: z.object({}),
  execute: () => Promise.reject(new Error('it is broken')),
});

async function asked(script: Script, options: SceneOptions, use: (stage: Scene) => Promise<unknown>): Promise<void> {
  await using stage = await scene(script, options);
  stage.bench.say('Go.');
  await use(stage);
}

/** Uses of an agent, by what becomes of them. Each is given a signal that never aborts. */
const uses: Readonly<Record<string, (signal: AbortSignal) => Promise<unknown>>> = {
  'worked with tools that answer and fail': (signal) =>
    asked([call('look', { what: 'a' }), call('broken'), say('Done.')], { agent: { tools: [look, broken] } }, (stage) =>
      steps(stage, 3, signal),
    ),
  'streamed its answer': (signal) =>
    asked([say(['One, ', 'two, ', 'three.'])], {}, (stage) => {
      stage.bench.streams = true;
      return steps(stage, 1, signal);
    }),
  'was interrupted in a stream and before an answer': async () => {
    for (const turn of [hang(say(['One, ', 'two.'])), hang()])
      await asked([turn], {}, async (stage) => {
        stage.bench.streams = true;
        await interrupted(stage);
      });
  },
  'has a provider that refuses, breaks off and talks nonsense': async (signal) => {
    for (const turn of [fail(401), drop('before'), drop('mid-stream'), nonsense()])
      await asked([turn, turn], { model: { retry: { attempts: 1 } } }, (stage) => {
        stage.bench.streams = true;
        return stage.bench.step(signal).catch(() => undefined);
      });
  },
  'has a provider that is not there': async (signal) => {
    const model = openaiCompatible('m', { baseUrl: 'http://127.0.0.1:1', retry: { attempts: 1 } });
    await expect(titleFor(model, 'Hello', { signal })).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  },
  'was interrupted while it waited to ask again': () => {
    const interrupt = new AbortController();
    const retry = { attempts: 3, onRetry: () => interrupt.abort(new Error('stop')) };
    return asked([fail(503, { retryAfter: 60 })], { model: { retry } }, ({ bench }) =>
      expect(bench.step(interrupt.signal)).rejects.toThrow('stop'),
    );
  },
  'has tools of a provider, and of a provider that fails': async (signal) => {
    const tools = [scriptedProvider({ tools: [look] })];
    await asked([call('look', { what: 'a' }), say('Done.')], { agent: { tools } }, (stage) => steps(stage, 2, signal));
    const failing = scriptedProvider({ before: () => Promise.reject(new Error('not there')) });
    const model = openaiCompatible('m', { baseUrl: 'http://127.0.0.1:1' });
    const agent = createAgent({ model, tools: [failing] });
    await agent.start({ conversationId: crypto.randomUUID(), workingDirectory: '/' }).then(
      (session) => session.close(),
      () => undefined,
    );
  },
  'handed work to a sub-agent': (signal) =>
    asked(
      [call('task', { description: 'Look', prompt: 'Look.', subagent_type: 'general-purpose' }), say('Done.')],
      { agent: { tools: [taskTool()] }, session: { children: new ScriptedChildren() } },
      (stage) => steps(stage, 2, signal),
    ),
};

async function steps({ bench }: Scene, count: number, signal: AbortSignal): Promise<void> {
  for (let step = 0; step < count; step++) {
    await bench.step(signal);
    for (const action of bench.pending()) bench.append([await bench.session.execute(action, { signal })]);
  }
}

async function interrupted(stage: Scene): Promise<void> {
  const interrupt = new AbortController();
  const step = stage.bench.step(interrupt.signal);
  await stage.server.request(0);
  interrupt.abort(new Error('stop'));
  await expect(step).rejects.toThrow('stop');
}

test.each(Object.entries(uses))('nothing is held of an agent that %s', async (_, use) => {
  expect(await leaks(use)).toEqual({});
});
