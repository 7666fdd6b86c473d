import { describe, expect, test } from 'vitest';

import { localThreads, remoteThreads, serveThreads } from './ag-ui-api.ts';
import { calls, scripted } from './openai-api.ts';

const weather = {
  name: 'weather',
  description: 'Tells the weather.',
  parameters: { type: 'object', properties: { words: { type: 'string' } } },
};

describe.each<readonly [string, typeof localThreads]>([
  ['local', localThreads],
  ['remote', remoteThreads],
])('the published client on a %s conversation', (_, makes) => {
  test('P11: the AG-UI client shows answers, calls and results as the log has them, and goes on', async () => {
    const threads = await serveThreads(makes(scripted(calls('echo', 'hi'), { text: 'One.' }, { text: 'Two.' })));
    const client = threads.client();
    const end = await client.say('Go');
    expect(end).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'success' } });
    expect(client.shown()).toEqual([
      'user: Go',
      'call: echo {"words":"hi"}',
      expect.stringMatching(/^tool: .*hi/),
      'assistant: One.',
    ]);
    await client.say('Again');
    expect(client.shown().slice(-2)).toEqual(['user: Again', 'assistant: Two.']);
    const other = threads.client(client.threadId);
    await other.ask();
    expect(other.messages.map(({ content }) => content)).toEqual(client.messages.map(({ content }) => content));
    expect(client.state).toMatchObject({ conversation: { status: 'finished', tasks: [] } });
  });

  test('P10: the AG-UI client approves a call by the id of its interrupt, and gets its result', async () => {
    const threads = await serveThreads(makes(scripted(calls('echo', 'hi'), { text: 'Done.' }), true));
    const client = threads.client();
    const end = await client.say('Go');
    expect(end).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'interrupt' } });
    const [interrupt] = client.pendingInterrupts;
    expect(interrupt).toMatchObject({ reason: 'tool_call', toolCallId: interrupt?.id });
    expect(client.shown()).toEqual(['user: Go', 'call: echo {"words":"hi"}']);
    await client.resume({ approved: true });
    expect(client.shown()).toEqual([
      'user: Go',
      'call: echo {"words":"hi"}',
      expect.stringMatching(/^tool: .*hi/),
      'assistant: Done.',
    ]);
    expect(client.pendingInterrupts).toEqual([]);
  });

  test('P10: the AG-UI client rejects a call by the id of its interrupt, and the model reads the reason', async () => {
    const threads = await serveThreads(makes(scripted(calls('echo', 'hi'), { text: 'As you wish.' }), true));
    const client = threads.client();
    await client.say('Go');
    await client.resume({ approved: false, reason: 'not now' });
    expect(client.shown().slice(-2)).toEqual([expect.stringContaining('not now'), 'assistant: As you wish.']);
    const result = client.messages.find(({ role }) => role === 'tool');
    expect(result).toMatchObject({ metadata: { 'conv/outcome': 'rejected' } });
  });

  test('the AG-UI client executes its own tool, and the result comes to the model once', async () => {
    const threads = await serveThreads(makes(scripted(calls('weather', 'Rome'), { text: 'Sunny.' })));
    const client = threads.client();
    let pending: readonly string[] = [];
    await client.say('Go', { tools: [weather] });
    await client.ask(
      { tools: [weather] },
      { onRunFinishedEvent: (end) => void (pending = end.outcome === 'success' ? end.pendingToolCallIds : []) },
    );
    expect(pending).toHaveLength(1);
    expect(client.shown()).toEqual(['user: Go', 'call: weather {"words":"Rome"}']);
    client.addMessage({ id: 'result', role: 'tool', toolCallId: pending[0] ?? '', content: 'sun' });
    await client.ask({ tools: [weather] });
    expect(client.shown()).toEqual(['user: Go', 'call: weather {"words":"Rome"}', 'tool: sun', 'assistant: Sunny.']);
    const [conversation] = threads.conversations.values();
    const { length = 0 } = conversation?.events ?? {};
    await client.ask({ tools: [weather] });
    expect(conversation?.events.length).toBe(length);
    expect(client.messages.filter(({ role }) => role === 'tool')).toMatchObject([{ id: 'result', content: 'sun' }]);
  });

  test.each([true, false])('the AG-UI client answers two calls of one message; together: %s', async (together) => {
    const answers = ['sun', 'rain'];
    const both = { calls: ['Rome', 'Oslo'].map((words) => ({ name: 'weather', arguments: { words } })) };
    const threads = await serveThreads(makes(scripted(both, { text: 'Sunny.' })));
    const client = threads.client();
    const ends: (readonly string[])[] = [];
    client.subscribe({
      onRunFinishedEvent: (end) => void ends.push(end.outcome === 'success' ? end.pendingToolCallIds : []),
    });
    await client.say('Go', { tools: [weather] });
    const [rome = '', oslo = ''] = ends[0] ?? [];
    expect(ends).toEqual([[rome, oslo]]);
    for (const [toolCallId, content] of answers.map((each, at) => [[rome, oslo][at] ?? '', each] as const)) {
      client.addMessage({ id: content, role: 'tool', toolCallId, content });
      if (!together) await client.ask();
    }
    if (together) await client.ask();
    expect(ends.slice(1)).toEqual(together ? [[]] : [[oslo], []]);
    expect(client.shown()).toEqual([
      'user: Go',
      'call: weather {"words":"Rome"}',
      'tool: sun',
      'call: weather {"words":"Oslo"}',
      'tool: rain',
      'assistant: Sunny.',
    ]);
  });

  test('P11: the AG-UI client is cut off behind any event and returns to the state of the log', async () => {
    const threads = await serveThreads(makes(scripted(calls('echo', 'hi'), { text: 'Done.' })));
    const whole = threads.client();
    await whole.say('Go');
    const asked = whole.messages.slice(0, 1);
    const count = whole.events.length;
    expect(count).toBeGreaterThan(8);
    const conversation = threads.conversations.get(whole.threadId);
    const { length } = conversation?.events ?? {};
    for (let cut = 1; cut < count; cut++) {
      const client = threads.client(whole.threadId);
      client.setMessages(structuredClone(asked));
      let cursor = '';
      client.cutBehind(cut, (id) => void (cursor = id));
      await client.ask();
      client.comeBack(cut % 2 === 0 ? cursor : undefined);
      await client.ask();
      expect([cut, client.messages]).toEqual([cut, whole.messages]);
    }
    expect(conversation?.events.length).toBe(length);
  });
});
