import type { Agent } from '@conv/core';
import { type ToolSource } from '@conv/core/tool';
import { clientTool } from '@conv/openhands/client-tools';
import { expect, test } from 'vitest';

import { Bench } from '../support/bench.ts';

const own = clientTool({ name: 'weather', description: '', parameters: { type: 'object', properties: {} } });
const terminal = { name: 'terminal', params: {}, create: () => own };

function agentWith(...tools: ToolSource[]): Agent {
  const names = tools.map(({ name }) => name);
  const description = { kind: 'Agent', llm: { model: 'fake' }, tools: names.map((name) => ({ name, params: {} })) };
  return { describe: () => description, tools: () => tools, toolNames: names } as unknown as Agent;
}

test('P13: an own tool of the agent is refused by name on a server that takes no answers to calls', async () => {
  await using bench = await Bench.start();
  const opened = bench.open({ agent: agentWith(terminal, own) });
  await expect(opened).rejects.toMatchObject({
    code: 'UNSUPPORTED',
    message: expect.stringContaining('the server has no tool "weather", and does not let clients answer calls'),
  });
});

test('a tool that the server calls by the name of its class is left to the server', async () => {
  await using bench = await Bench.start();
  const conversation = await bench.open({ agent: agentWith(terminal) });
  expect(conversation.resumed).toBe(false);
});
