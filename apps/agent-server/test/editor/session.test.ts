import { setImmediate as nextTurn } from 'node:timers/promises';

import type { ModelTurn } from '@conv/conformance';
import type { Conversation } from '@conv/core';
import { StreamingAgent } from '@conv/testing-harness';
import { expect, test } from 'vitest';

import { Editor } from './editor.ts';
import { echoing, openLocal, RUNTIMES, scripted, serving } from './opened.ts';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

test.each(RUNTIMES)('P11: an editor sees text and calls of %s, and session/load shows the same', async (_, open) => {
  const conversation = await open(scripted(echoing('hi'), { text: 'Done.' }));
  const editor = new Editor(serving(conversation));
  const sessionId = await editor.newSession();
  expect(sessionId).toBe(conversation.id);
  expect(await editor.say(sessionId, 'Go')).toBe('end_turn');
  expect(editor.shown).toEqual(['echo: completed', 'agent: Done.']);
  const other = new Editor(serving(conversation));
  await other.load(sessionId);
  expect(other.shown).toEqual(['user: Go', ...editor.shown]);
});

test('an editor that was there before sees the messages of others, and its own once', async () => {
  const conversation = await openLocal(scripted({ text: 'One.' }, { text: 'Two.' }));
  const [one, two] = [new Editor(serving(conversation)), new Editor(serving(conversation))];
  const sessionId = await one.newSession();
  await two.load(sessionId);
  await one.say(sessionId, 'first');
  await two.say(sessionId, 'second');
  await expect.poll(() => one.shown.length).toBe(3);
  expect(one.shown).toEqual(['agent: One.', 'user: second', 'agent: Two.']);
  expect(two.shown).toEqual(['user: first', 'agent: One.', 'agent: Two.']);
});

test('images and files of a prompt reach the log, and images of the log the editor', async () => {
  const conversation = await openLocal(scripted({ text: 'A dot.' }));
  const editor = new Editor(serving(conversation));
  const sessionId = await editor.newSession();
  await editor.agent.request('session/prompt', {
    sessionId,
    prompt: [
      { type: 'text', text: 'What is it?' },
      { type: 'image', mimeType: 'image/png', data: PIXEL },
      { type: 'resource_link', name: 'a.ts', uri: 'file:///a.ts' },
      { type: 'resource', resource: { uri: 'file:///b.ts', text: 'let b;' } },
    ],
  });
  const other = new Editor(serving(conversation));
  await other.load(sessionId);
  const said = other.updates.flatMap((update) =>
    update.sessionUpdate === 'user_message_chunk' ? [update.content] : [],
  );
  expect(said).toEqual([
    { type: 'text', text: 'What is it?' },
    { type: 'image', mimeType: 'image/png', data: PIXEL },
    { type: 'text', text: '[a.ts](file:///a.ts)' },
    { type: 'text', text: 'file:///b.ts:\n\n```\nlet b;\n```' },
  ]);
});

test('P11: an answer comes in pieces, and pieces that are void are marked and told again under another id', async () => {
  const conversation = await openLocal(
    new StreamingAgent(({ say }) => {
      say('Wrong');
      say('Right', { attempt: 2 });
      return 'Right.';
    }),
  );
  const editor = new Editor(serving(conversation));
  const sessionId = await editor.newSession();
  await editor.say(sessionId, 'Go');
  const voids = editor.updates.flatMap(({ _meta }) => (_meta?.['conv/withdrawn'] ? [_meta['conv/withdrawn']] : []));
  expect(voids).toMatchObject([{ reason: 'retried' }]);
  expect(editor.shown).toEqual([expect.stringMatching(/^agent: Wrong\s+\[The text above is void/), 'agent: Right.']);
});

test('P11: an editor that comes back with its cursor gets the rest, in an order that never falls', async () => {
  const conversation = await openLocal(scripted(echoing('hi'), { text: 'Done.' }, { text: 'More.' }));
  const editor = new Editor(serving(conversation));
  const sessionId = await editor.newSession();
  await editor.say(sessionId, 'Go');
  expect(editor.cursors.toSorted((one, other) => one - other)).toEqual(editor.cursors);
  const place = editor.updates.findIndex(({ sessionUpdate }) => sessionUpdate === 'tool_call');
  const after = editor.cursors[place];
  const back = new Editor(serving(conversation));
  await back.initialize();
  const resume = (meta: object) =>
    back.agent.request('session/resume', { sessionId, cwd: '/', mcpServers: [], _meta: { ...meta } });
  await resume({ 'conv/after': after });
  expect(back.shown).toEqual(['echo: completed', 'agent: Done.']);
  await expect(resume({ 'conv/after': 999 })).rejects.toMatchObject({ code: -32602 });
  back.updates.length = 0;
  await resume({});
  expect(back.shown).toEqual([]);
  expect(await back.say(sessionId, 'And?')).toBe('end_turn');
  expect(back.shown).toEqual(['agent: More.']);
});

test.each(['session/load', 'session/resume'] as const)(
  'P11: an editor that was told a conversation by %s and comes back with any cursor shows nothing twice',
  async (method) => {
    const conversation = await openLocal(scripted(echoing('hi'), { text: 'Done.' }));
    const editor = new Editor(serving(conversation));
    await editor.say(await editor.newSession(), 'Go');
    const session = { sessionId: conversation.id, cwd: '/', mcpServers: [] };
    const told = new Editor(serving(conversation));
    await told.initialize();
    await told.agent.request(method, { ...session, _meta: { 'conv/after': -1 } });
    expect(told.shown).toEqual(['user: Go', 'echo: completed', 'agent: Done.']);
    const moves = [...told.cursors.keys()].filter((at) => told.cursors[at] !== (told.cursors[at - 1] ?? -1));
    expect(moves).not.toEqual([]);
    for (const place of moves) {
      const back = new Editor(serving(conversation));
      await back.initialize();
      back.updates.push(...told.updates.slice(0, place + 1));
      await back.agent.request('session/resume', { ...session, _meta: { 'conv/after': told.cursors[place] } });
      expect(back.shown).toEqual(told.shown);
    }
  },
);

test('P11: an unknown or invalid cursor is refused, and the session at the editor goes on', async () => {
  const conversation = await openLocal(scripted({ text: 'One.' }, { text: 'Two.' }));
  const editor = new Editor(serving(conversation));
  const sessionId = await editor.newSession();
  await editor.say(sessionId, 'Go');
  for (const after of [999, 0.5, '0', 'history', false]) {
    const wrong = { sessionId, cwd: '/', mcpServers: [], _meta: { 'conv/after': after } };
    const refused = { code: -32602, message: expect.stringContaining('expected the number of an event') };
    await expect(editor.agent.request('session/resume', wrong)).rejects.toMatchObject(refused);
  }
  expect(await editor.say(sessionId, 'On')).toBe('end_turn');
  expect(editor.shown).toEqual(['agent: One.', 'agent: Two.']);
});

test('an editor that leaves while its session opens leaves nothing that follows the conversation', async () => {
  const conversation = await openLocal(scripted());
  let followers = 0;
  const counted = new Proxy(conversation, {
    get: (target, name) => {
      if (name === 'subscribe') followers++;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const [asked, found] = [Promise.withResolvers<void>(), Promise.withResolvers<Conversation>()];
  const open = async (): Promise<Conversation> => {
    asked.resolve();
    return found.promise;
  };
  const editor = new Editor(serving(conversation, { open }));
  const loading = editor.load(conversation.id).catch(() => 'lost');
  await asked.promise;
  editor.leave();
  expect(await loading).toBe('lost');
  await editor.connection.closed;
  found.resolve(counted);
  await nextTurn();
  expect(followers).toBe(0);
});

test('the task list of the agent is the plan of the editor, as it changes and when the session is loaded', async () => {
  const plan = (status: string): ModelTurn => {
    const task_list = [{ title: 'Look', status }];
    return { calls: [{ name: 'tasks', arguments: { command: 'plan', task_list } }] };
  };
  const conversation = await openLocal(scripted(plan('in_progress'), plan('done'), { text: 'Done.' }));
  const editor = new Editor(serving(conversation));
  const sessionId = await editor.newSession();
  await editor.say(sessionId, 'Go');
  const plans = ({ updates }: Editor) =>
    updates.flatMap((update) => (update.sessionUpdate === 'plan' ? [update.entries] : []));
  const entry = { content: 'Look', priority: 'medium' };
  expect(plans(editor)).toEqual([[{ ...entry, status: 'in_progress' }], [{ ...entry, status: 'completed' }]]);
  const next = new Editor(serving(conversation));
  await next.load(sessionId);
  expect(plans(next)).toEqual([[{ ...entry, status: 'completed' }]]);
});

test('a cancelled turn ends as cancelled, its run is interrupted, and the session goes on', async () => {
  const begun = Promise.withResolvers<void>();
  const conversation = await openLocal(
    new StreamingAgent(async ({ number, context }) => {
      begun.resolve();
      if (number > 1) return 'Again.';
      await new Promise((__, reject) => context.signal.addEventListener('abort', () => reject(context.signal.reason)));
      return '';
    }),
  );
  const editor = new Editor(serving(conversation));
  const sessionId = await editor.newSession();
  const turn = editor.say(sessionId, 'Go');
  await begun.promise;
  await editor.agent.notify('session/cancel', { sessionId });
  expect(await turn).toBe('cancelled');
  expect(conversation.state.executionStatus).toBe('paused');
  expect(await editor.say(sessionId, 'Go on')).toBe('end_turn');
});

test('a prompt during a run is answered by it, and both turns end', async () => {
  const [begun, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const conversation = await openLocal(
    new StreamingAgent(async ({ number }) => {
      begun.resolve();
      await goOn.promise;
      return `Answer ${number}.`;
    }),
  );
  const editor = new Editor(serving(conversation));
  const sessionId = await editor.newSession();
  const first = editor.say(sessionId, 'one');
  await begun.promise;
  const second = editor.say(sessionId, 'two');
  await expect.poll(() => conversation.state.queue.length).toBe(1);
  goOn.resolve();
  expect(await Promise.all([first, second])).toEqual(['end_turn', 'end_turn']);
  expect(editor.shown.at(-1)).toBe('agent: Answer 2.');
});

test('a run goes on when its editor crashes, and the next one is told all of it', async () => {
  const [begun, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const conversation = await openLocal(
    new StreamingAgent(async ({ say }) => {
      say('Half an ');
      begun.resolve();
      await goOn.promise;
      return 'Half an answer.';
    }),
  );
  const editor = new Editor(serving(conversation));
  const sessionId = await editor.newSession();
  const turn = editor.say(sessionId, 'Go').catch(() => 'lost');
  await begun.promise;
  editor.leave();
  expect(await turn).toBe('lost');
  await editor.connection.closed;
  const next = new Editor(serving(conversation));
  await next.load(sessionId);
  expect(next.shown).toEqual(['user: Go']);
  goOn.resolve();
  await editor.connection.settled();
  await expect.poll(() => next.shown).toEqual(['user: Go', 'agent: Half an answer.']);
});

test('a run that fails is an error of the prompt with its code, and the session goes on', async () => {
  const conversation = await openLocal(
    new StreamingAgent(({ number }) => {
      if (number === 1) throw new Error('no such model');
      return 'Here.';
    }),
  );
  const errors: unknown[] = [];
  const editor = new Editor(serving(conversation, { onError: (error) => errors.push(error) }));
  const sessionId = await editor.newSession();
  await expect(editor.say(sessionId, 'Go')).rejects.toMatchObject({
    code: -32603,
    message: expect.stringContaining('no such model'),
  });
  expect(errors).toHaveLength(1);
  expect(await editor.say(sessionId, 'Again')).toBe('end_turn');
});

test('a run that reaches its limit ends the turn by that', async () => {
  const conversation = await openLocal(scripted(echoing('a'), echoing('b'), { text: 'Done.' }));
  await conversation.settings.setLimits({ maxIterations: 1 });
  const editor = new Editor(serving(conversation));
  const sessionId = await editor.newSession();
  expect(await editor.say(sessionId, 'Go')).toBe('max_turn_requests');
  expect(editor.shown.at(-1)).toContain('MaxIterationsReached');
});

test('bad input is refused by its name, and nothing is sent', async () => {
  const conversation = await openLocal(scripted());
  const editor = new Editor(serving(conversation));
  const { agent } = editor;
  const prompt = [{ type: 'text' as const, text: 'hi' }];
  await expect(agent.request('session/new', { cwd: '/', mcpServers: [] })).rejects.toMatchObject({ code: -32600 });
  const sessionId = await editor.newSession();
  const mcp = { name: 'files', command: '/bin/files', args: [], env: [{ name: 'KEY', value: 'canary-value' }] };
  const refused: readonly (readonly [Promise<unknown>, number, string])[] = [
    [agent.request('session/prompt', { sessionId: 'unknown', prompt }), -32002, 'not found'],
    [agent.request('session/prompt', { sessionId, prompt: [] }), -32602, 'at least one block'],
    [
      agent.request('session/prompt', {
        sessionId,
        prompt: [
          { type: 'text', text: ' ' },
          { type: 'audio', data: '', mimeType: 'audio/wav' },
        ],
      }),
      -32602,
      'found content of type audio',
    ],
    [agent.request('session/new', { cwd: 'here', mcpServers: [] }), -32602, 'expected an absolute path, found "here"'],
    [
      agent.request('session/new', { cwd: '/', mcpServers: [mcp] }),
      -32602,
      'expected none for this agent, found files',
    ],
    [agent.request('session/new', { cwd: '/', mcpServers: [], additionalDirectories: ['/b'] }), -32602, 'found /b'],
    [agent.request('session/set_mode', { sessionId, modeId: 'yolo' }), -32602, 'ask, ask-risky, never-ask, found yolo'],
    [agent.request('session/list', {}), -32601, ''],
  ];
  for (const [request, code, message] of refused) {
    const error: unknown = await request.catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code, message: expect.stringContaining(message) });
    expect(JSON.stringify(error)).not.toContain('canary-value');
  }
  expect(conversation.events.length).toBe(0);
});
