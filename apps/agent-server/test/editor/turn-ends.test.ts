import type { Conversation } from '@conv/core';
import { StreamingAgent } from '@conv/testing-harness';
import { expect, test } from 'vitest';

import { Editor } from './editor.ts';
import { openLocal, scripted, serving } from './opened.ts';

/** An agent whose first answer comes when the test says so, or never if it is cancelled. */
function held() {
  const [begun, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<string>()];
  const agent = new StreamingAgent(async ({ number, context }) => {
    if (number > 1) return 'Again.';
    begun.resolve();
    context.signal.addEventListener('abort', () => goOn.reject(context.signal.reason));
    return await goOn.promise;
  });
  return { agent, begun: begun.promise, answer: goOn.resolve };
}

/** A conversation of which a method waits before it works, for what the test does meanwhile. */
function during(conversation: Conversation, method: 'sendMessage' | 'interrupt', work: () => Promise<unknown>) {
  return new Proxy(conversation, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      if (name !== method) return value.bind(target) as unknown;
      return async (...given: readonly unknown[]): Promise<unknown> => {
        await work();
        return await Reflect.apply(value, target, given);
      };
    },
  });
}

test('a prompt under way is answered as cancelled when its session is closed', async () => {
  const { agent, begun } = held();
  const editor = new Editor(serving(await openLocal(agent)));
  const sessionId = await editor.newSession();
  const turn = editor.say(sessionId, 'Go');
  await begun;
  await editor.agent.request('session/close', { sessionId });
  expect(await turn).toBe('cancelled');
});

test('a prompt under way is answered as cancelled when its session is loaded again, and its run goes on', async () => {
  const { agent, begun, answer } = held();
  const editor = new Editor(serving(await openLocal(agent)));
  const sessionId = await editor.newSession();
  const turn = editor.say(sessionId, 'Go');
  await begun;
  await editor.load(sessionId);
  expect(await turn).toBe('cancelled');
  answer('Here.');
  await expect.poll(() => editor.shown).toEqual(['user: Go', 'agent: Here.']);
});

test('a cancel while the message of a prompt is stored ends its turn, and no run answers it', async () => {
  const [sending, cancelled] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const stored = await openLocal(scripted({ text: 'Here.' }));
  const sent = during(stored, 'sendMessage', () => {
    sending.resolve();
    return cancelled.promise;
  });
  const editor = new Editor(serving(sent));
  const sessionId = await editor.newSession();
  const turn = editor.say(sessionId, 'Go');
  await sending.promise;
  await editor.agent.notify('session/cancel', { sessionId });
  await heard(editor, sessionId);
  cancelled.resolve();
  expect(await turn).toBe('cancelled');
  expect(editor.shown).toEqual([]);
  expect(await editor.say(sessionId, 'Go on')).toBe('end_turn');
  expect(editor.shown).toEqual(['agent: Here.']);
});

test('a prompt behind a cancel is answered, and only the turn before it is cancelled', async () => {
  const [cancelling, goOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { agent, begun } = held();
  const conversation = during(await openLocal(agent), 'interrupt', () => {
    cancelling.resolve();
    return goOn.promise;
  });
  const editor = new Editor(serving(conversation));
  const sessionId = await editor.newSession();
  const first = editor.say(sessionId, 'Go');
  await begun;
  await editor.agent.notify('session/cancel', { sessionId });
  await cancelling.promise;
  const second = editor.say(sessionId, 'Go on');
  await heard(editor, sessionId);
  goOn.resolve();
  expect(await Promise.all([first, second])).toEqual(['cancelled', 'end_turn']);
  expect(editor.shown.at(-1)).toBe('agent: Again.');
});

/** Resolves when the agent has everything that the editor said. */
async function heard(editor: Editor, sessionId: string): Promise<void> {
  const refused = editor.agent.request('session/set_mode', { sessionId, modeId: 'none' });
  await expect(refused).rejects.toMatchObject({ code: -32602 });
}
