import { ModelScript, ScriptedAgent } from '@conv/conformance';
import { textOf } from '@conv/openhands/messages';
import { type CallRecord, MemoryStore } from '@conv/core/store';
import { expect, test } from 'vitest';

import { open } from '../support/bench.ts';
import { plainTool } from '../support/plain-tool.ts';

const record: CallRecord = {
  kind: 'model_call',
  usageId: 'oracle:oracle',
  model: 'other',
  cost: 0.25,
  promptTokens: 10,
  completionTokens: 2,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
  contextWindow: 0,
  latency: 0.1,
  responseId: 'r',
  timestamp: 1,
};

test('P7: a tool asks another model, whose cost is durable before the tool goes on', async () => {
  const store = new MemoryStore();
  const seen: unknown[] = [];
  const tool = plainTool('ask', async ({ view, askModel, signal, conversationId }) => {
    seen.push((await view?.())?.map((event) => textOf(event)).filter((said) => said !== ''));
    const answer = await askModel?.(async () => ({ said: 'yes', record }), signal);
    const stored = await store.read(conversationId);
    if (!stored) throw new Error('expected a stored conversation, found none');
    for await (const { records = [] } of stored.commits()) seen.push(...records.map(({ usageId }) => usageId));
    return answer?.said ?? '';
  });
  const turns = [{ calls: [{ name: 'ask', arguments: {} }] }, { text: 'done' }];
  const agent = new ScriptedAgent({ script: new ModelScript(turns), tools: [tool] });
  const conversation = await open(store, { agent });
  await conversation.sendMessage('Which way?');
  await conversation.run();
  expect(seen[0]).toContain('Which way?');
  expect(seen.slice(1)).toContain('oracle:oracle');
  expect(conversation.state.stats['oracle:oracle']).toMatchObject({ cost: 0.25, calls: 1 });
  await conversation.close();
});

test('P13: a question that fails costs nothing, and its reason is the result of the call', async () => {
  const tool = plainTool('ask', async ({ askModel, signal }) => {
    await askModel?.(() => Promise.reject(new Error('no answer')), signal);
    return '';
  });
  const turns = [{ calls: [{ name: 'ask', arguments: {} }] }, { text: 'done' }];
  const agent = new ScriptedAgent({ script: new ModelScript(turns), tools: [tool] });
  const conversation = await open(new MemoryStore(), { agent });
  await conversation.sendMessage('go');
  await conversation.run();
  const events = await Array.fromAsync(conversation.events);
  expect(JSON.stringify(events)).toContain('no answer');
  expect(conversation.state.stats).not.toHaveProperty(['oracle:oracle']);
  await conversation.close();
});
