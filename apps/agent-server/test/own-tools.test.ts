import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { createAgent, openaiCompatible } from '@conv/agent';
import type { Agent } from '@conv/core';
import { isEvent } from '@conv/core/events';
import { defineTool, type Tool } from '@conv/core/tool';
import { openRemoteConversation, type RemoteConversation, RemoteWorkspace } from '@conv/remote';
import { call, createModelServer, say, toolResults, type ModelServer } from '@conv/testing-model-server';
import { terminal } from '@conv/tools';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';

import { newFolder } from './new-folder.ts';
import { ServerProcess } from './server-process.ts';

const KEY = 'session-key-of-own-tools-3c1d';
const cwd = newFolder();
let model: ModelServer;
let server: ServerProcess;

beforeAll(async () => {
  // calls the tool of its user, then says what that returned
  const script = (request: Parameters<typeof toolResults>[0]) => {
    const result = toolResults(request).at(-1);
    return result ? say(`It said: ${result.text}`) : call('weather', { city: 'Rome' });
  };
  model = await createModelServer({ script, apiKey: 'k' });
  server = await ServerProcess.start({ cwd, env: { OH_SESSION_API_KEYS_0: KEY, CONV_HOST: '127.0.0.1' } });
});

afterAll(async () => {
  await server.stop();
  await model.close();
});

const weather = (execute: (city: string) => string | Promise<string>): Tool =>
  defineTool({
    name: 'weather',
    description: 'Reports the weather.',
    input: z.object({ city: z.string() }),
    execute: ({ city }) => execute(city),
  });

function agentWith(...tools: NonNullable<Parameters<typeof createAgent>[0]['tools']>): Agent {
  return createAgent({ model: openaiCompatible('test-model', { baseUrl: model.url, apiKey: 'k' }), tools });
}

function open(agent: Agent, more: { id?: string; confirm?: boolean } = {}): Promise<RemoteConversation> {
  const workspace = new RemoteWorkspace({ host: server.url, apiKey: KEY, workingDir: cwd });
  const { id, confirm } = more;
  return openRemoteConversation(
    {},
    {
      agent,
      workspace,
      ...(id === undefined ? {} : { id, create: 'never' }),
      ...(confirm ? { confirmationPolicy: { kind: 'AlwaysConfirm' } } : {}),
    },
  );
}

test('P13: a tool that is given with the agent and is not on the server is carried out here', async () => {
  const cities: string[] = [];
  const agent = agentWith(
    terminal(),
    weather((city) => {
      cities.push(city);
      return `sunny in ${city}`;
    }),
  );
  await using conversation = await open(agent);
  await conversation.sendMessage('What is the weather?');
  expect((await conversation.run()).status).toBe('finished');
  expect(cities).toEqual(['Rome']);
  expect(await conversation.finalResponse()).toBe('It said: sunny in Rome');
  expect(conversation.state.clientTools.map(({ name }) => name)).toEqual(['weather']);
});

test('the model reads what such a tool throws, and the run goes on', async () => {
  await using conversation = await open(agentWith(weather(() => Promise.reject(new Error('no station there')))));
  await conversation.sendMessage('What is the weather?');
  expect((await conversation.run()).status).toBe('finished');
  expect(await conversation.finalResponse()).toContain('no station there');
});

test('P10: such a tool runs after its call was approved, and not before', async () => {
  const file = join(cwd, 'called');
  const agent = agentWith(
    weather(() => {
      writeFileSync(file, '');
      return 'approved';
    }),
  );
  await using conversation = await open(agent, { confirm: true });
  await conversation.sendMessage('What is the weather?');
  expect((await conversation.run()).status).toBe('waiting_for_confirmation');
  expect(existsSync(file)).toBe(false);
  await conversation.approve();
  expect((await conversation.run()).status).toBe('finished');
  expect(await conversation.finalResponse()).toBe('It said: approved');
});

test('P5: a resuming program answers a call that another program had begun as unknown, and makes none', async () => {
  const begun = Promise.withResolvers<void>();
  const first = await open(
    agentWith(
      weather(() => {
        begun.resolve();
        return new Promise<string>(() => {});
      }),
    ),
  );
  await first.sendMessage('What is the weather?');
  await first.run({ blocking: false });
  await begun.promise;
  await first.close();
  let calls = 0;
  const agent = agentWith(weather(() => `call ${++calls}`));
  await using second = await open(agent, { id: first.id });
  expect((await second.run({ join: true })).status).toBe('finished');
  expect(calls).toBe(0);
  const results = (await second.events.slice()).filter((event) => isEvent(event, 'ObservationEvent'));
  expect(JSON.stringify(results)).toContain('the outcome is unknown');
});

test('P13: a tool that cannot run here is refused by name', async () => {
  const bound = { name: 'camera', params: {}, create: () => weather(() => '') };
  await expect(open(agentWith(bound as never))).rejects.toMatchObject({
    code: 'UNSUPPORTED',
    message: expect.stringContaining('the server has no tool "camera", which works in the workspace there'),
  });
  const made = await open(agentWith(terminal()));
  await made.close();
  await expect(
    open(
      agentWith(
        terminal(),
        weather(() => ''),
      ),
      { id: made.id },
    ),
  ).rejects.toMatchObject({
    code: 'UNSUPPORTED',
    message: expect.stringContaining('the conversation on the server has no tool "weather"'),
  });
});
