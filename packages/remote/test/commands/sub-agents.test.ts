import type { Agent, JsonObject } from '@conv/core';
import { expect, test } from 'vitest';

import { Bench } from '../support/bench.ts';

const checker = { name: 'checker', description: 'Checks.', tools: ['terminal'] };

function agentWith(subAgents: () => readonly JsonObject[]): Agent {
  const description = { kind: 'Agent', llm: { model: 'fake' }, tools: [] };
  return { describe: () => description, subAgents, toolNames: [] } as unknown as Agent;
}

const sentTo = (bench: Bench): unknown =>
  bench.server.requests.find(({ method, path }) => method === 'POST' && path === '/api/conversations')?.body;

test('the sub-agents of an agent are sent with its conversation', async () => {
  await using bench = await Bench.start();
  await bench.open({ agent: agentWith(() => [checker]) });
  expect(sentTo(bench)).toMatchObject({ agent_definitions: [checker] });
});

test('an agent without sub-agents sends none', async () => {
  await using bench = await Bench.start();
  await bench.open({ agent: agentWith(() => []) });
  expect(sentTo(bench)).not.toHaveProperty('agent_definitions');
});

test('P13: a sub-agent that no server could build is refused before any request', async () => {
  await using bench = await Bench.start();
  const opened = bench.open({
    agent: agentWith(() => {
      throw new Error('agent "whole": found a complete agent, which cannot be described');
    }),
  });
  await expect(opened).rejects.toMatchObject({
    code: 'INVALID_INPUT',
    message: expect.stringContaining('a complete agent'),
  });
  expect(bench.server.requests).toEqual([]);
});

test('the tool of sub-agents has the name that the server has for it', async () => {
  await using bench = await Bench.start({ tools: ['task_tool_set', 'terminal'] });
  const task = { name: 'task', params: {}, create: () => Promise.reject(new Error('not called')) };
  const description = { kind: 'Agent', llm: { model: 'fake' }, tools: [{ name: 'task', params: {} }] };
  const agent = { describe: () => description, tools: () => [task], toolNames: ['task'] } as unknown as Agent;
  await bench.open({ agent });
  expect(sentTo(bench)).toMatchObject({ agent: { tools: [{ name: 'task_tool_set' }] } });
});
