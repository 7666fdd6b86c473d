import { drafts } from '@conv/core/events';
import { say } from '@conv/testing-model-server';
import { expect, test } from 'vitest';
import { scene } from '../../support/bench.ts';
import { look } from '../../support/tools.ts';

test('P5: a message between a call and its result, as OpenHands logs it, follows the results in requests', async () => {
  await using stage = await scene([say('Good.'), say('Aside.')], { agent: { tools: [look] } });
  const { bench, server } = stage;
  const { signal } = new AbortController();
  bench.say('Look.');
  const calls = ['a', 'b'].map((what) =>
    drafts.action({
      action: { data: { what }, kind: 'MCPToolAction' },
      tool_name: 'look',
      tool_call_id: `call_${what}`,
      tool_call: { id: `call_${what}`, name: 'look', arguments: JSON.stringify({ what }), origin: 'completion' },
      llm_response_id: 'r',
    }),
  );
  bench.append(calls);
  const pending = bench.pending();
  bench.say('Wait!');
  for (const event of pending) bench.append([await bench.session.execute(event, { signal: signal })]);
  await bench.step();
  await bench.session.answer('Why?', bench.events, signal);
  for (const { messages } of server.requests)
    expect(messages.map(({ role }) => role).slice(0, 6)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
      'tool',
      'user',
    ]);
  expect(server.violations).toEqual([]);
});
