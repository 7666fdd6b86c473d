import { type ClientToolSpec } from '@conv/core/tool';
import { clientTool } from '@conv/openhands/client-tools';
import { call, say } from '@conv/testing-model-server';
import { describe, expect, test } from 'vitest';
import { createAgent, isAgentError } from '../../src/index.ts';
import { scene } from '../support/bench.ts';
import { scriptedModel } from '../support/scripted-model.ts';
import { add, look } from '../support/tools.ts';

const ask: ClientToolSpec = {
  name: 'ask',
  description: 'Asks somebody.',
  parameters: {
    type: 'object',
    properties: { question: { type: 'string', minLength: 2 }, urgency: { type: 'integer', maximum: 5 } },
    required: ['question'],
    additionalProperties: false,
  },
};
const readOnly = { ...ask, name: 'peek', annotations: { readOnlyHint: true } };
const SESSION = { conversationId: '3f2b8c1e-7d5a-4a63-9b0e-1c2d3e4f5a6b', workingDirectory: '/work' };

describe('tools of the conversation itself', () => {
  test('client tools are offered behind those of the agent and before built-in ones, with their schemas', async () => {
    const session = { ownTools: [clientTool(ask), clientTool(readOnly)] };
    await using stage = await scene([say('ok')], { agent: { tools: [add, look] }, session });
    const { bench, server } = stage;
    const names = ['add', 'look', 'ask', 'peek', 'finish', 'think'];
    expect(bench.session.tools.map(({ name }) => name)).toEqual(names);
    expect(bench.session.tools.find(({ name }) => name === 'peek')?.readOnly).toBe(true);
    const [prompt] = bench.ofKind('SystemPromptEvent');
    expect(prompt?.tools[2]).toMatchObject({
      kind: 'ClientTool',
      client_tool_name: 'ask',
      input_schema: ask.parameters,
    });
    bench.say('Hi');
    await bench.step();
    const offered = server.requests[0]?.body as unknown as Offered;
    expect(offered.tools[2]?.function).toMatchObject({
      name: 'ask',
      description: 'Asks somebody.',
      parameters: {
        properties: { question: { type: 'string', minLength: 2 }, urgency: { type: 'integer', maximum: 5 } },
        required: ['question'],
        additionalProperties: false,
      },
    });
    expect(parametersOf(offered, 2)).toEqual(['security_risk', 'summary', 'question', 'urgency']);
    expect(parametersOf(offered, 3)).toEqual(['security_risk', 'summary', 'question', 'urgency']);
  });

  test('client tools are called with arguments that are repaired and checked as others are', async () => {
    const turns = [
      call('ask', { question: 'why?', urgency: '3', summary: 'asks' }),
      call('ask', { urgency: 9 }),
      say('ok'),
    ];
    await using stage = await scene(turns, { session: { ownTools: [clientTool(ask)] } });
    const { bench, server } = stage;
    bench.say('Go on');
    await bench.run();
    const [first, second] = bench.ofKind('ActionEvent');
    expect(first?.action).toEqual({ question: 'why?', urgency: 3, kind: 'ClientAction_ask' });
    expect(second?.action ?? null).toBeNull();
    const [error] = bench.ofKind('AgentErrorEvent');
    expect(error?.error).toContain('question: is required; urgency: must be at most 5');
    expect(server.requests[1]?.messages.at(-1)?.text).toContain('Tool call dispatched to client.');
  });

  test('calls of client tools are left behind when their time is up', async () => {
    const ownTools = [clientTool(ask, () => new Promise(() => {}))];
    await using stage = await scene([call('ask', { question: 'why?' })], { session: { ownTools } });
    const { bench } = stage;
    bench.say('Go on');
    await bench.step();
    const [action] = bench.pending();
    if (!action) throw new Error('there is no call');
    const result = await bench.session.execute(action, { signal: new AbortController().signal, timeout: 1 });
    expect(result).toMatchObject({
      kind: 'AgentErrorEvent',
      error: expect.stringContaining('took longer than 1 ms') as string,
    });
  });

  test('client tools are kept to the pattern of names that the agent offers', async () => {
    const agent = createAgent({ model: scriptedModel([]), description: { filter_tools_regex: 'a' }, tools: [look] });
    const session = await agent.start({
      ...SESSION,
      ownTools: [clientTool(ask), clientTool(readOnly)],
    });
    expect(session.tools.map(({ name }) => name)).toEqual(['ask', 'finish', 'think']);
  });

  test('P13: client tools with the name of a tool of the agent are refused by the agent', async () => {
    const agent = createAgent({ model: scriptedModel([]), tools: [look] });
    const starting = agent.start({ ...SESSION, ownTools: [clientTool({ ...ask, name: 'look' })] });
    await expect(starting).rejects.toSatisfy((error) => isAgentError(error, 'DUPLICATE_TOOL'));
  });
});

/** The tools in a request. */
interface Offered {
  readonly tools: readonly { readonly function: { readonly parameters: { readonly properties: object } } }[];
}

function parametersOf({ tools }: Offered, at: number): readonly string[] {
  return Object.keys(tools[at]?.function.parameters.properties ?? {});
}
