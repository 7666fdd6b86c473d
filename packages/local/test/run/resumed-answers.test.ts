import { describe, expect, test } from 'vitest';

import type { LocalConversationOptions } from '../../src/index.ts';
import { never, open, play, texts } from '../support/bench.ts';
import { orphan, type Orphan } from '../support/dying.ts';
import { FakeHooks } from '../support/fake-hooks.ts';
import { ScriptedAgent } from '../support/scripted-agent.ts';

/** A run with its answer, whose process ended while Stop hooks were asked about that. */
async function answered(): Promise<Orphan> {
  const asked = Promise.withResolvers<void>();
  const hooks = new FakeHooks({
    Stop: () => {
      asked.resolve();
      return never();
    },
  });
  return orphan(
    (die) => {
      void asked.promise.then(die);
      return {};
    },
    { hooks },
  );
}

describe('a run that is resumed with its answer', () => {
  test('a run that is resumed with its answer asks the Stop hooks again, and does not ask the model', async () => {
    const hooks = new FakeHooks({ Stop: () => ({}) });
    const { conversation, agent } = await (await answered()).adopt({}, { hooks });
    expect(await conversation.resumeRun()).toEqual({ status: 'finished', iterations: 0 });
    expect([hooks.moments, agent.requests, await texts(conversation)]).toEqual(['Stop', 0, ['go', 'done']]);
  });

  test('a run that is resumed with its answer has ended when its Stop hooks are gone', async () => {
    const { conversation, agent } = await (await answered()).adopt({}, { hooks: null });
    expect(await conversation.resumeRun()).toEqual({ status: 'finished', iterations: 0 });
    expect(agent.requests).toBe(0);
  });

  test('a run that is resumed with its answer goes on when the Stop hooks send the answer back', async () => {
    let asked = 0;
    const hooks = new FakeHooks({ Stop: () => (asked++ === 0 ? { blocked: true, reason: 'more' } : {}) });
    const { conversation, agent } = await (await answered()).adopt({}, { hooks });
    expect(await conversation.resumeRun()).toEqual({ status: 'finished', iterations: 1 });
    expect([asked, agent.requests]).toEqual([2, 1]);
  });

  test.each([{ how: 'resumeRun' }, { how: 'run' }] as const)(
    'a run that is resumed with its answer answers a message behind the answer, also by $how',
    async ({ how }) => {
      const hooks = new FakeHooks({ Stop: () => ({}) });
      const { conversation, agent } = await (await answered()).adopt({}, { hooks });
      await conversation.sendMessage('and this');
      expect(await conversation[how]()).toEqual({ status: 'finished', iterations: 1 });
      expect([agent.requests, await texts(conversation)]).toEqual([1, ['go', 'done', 'and this', 'done']]);
    },
  );

  test('a resumed run asks the model when the hooks had sent the answer back before the process ended', async () => {
    let asked = 0;
    const back = (): FakeHooks =>
      new FakeHooks({ Stop: () => (asked++ === 0 ? { blocked: true, reason: 'more' } : {}) });
    const left = await orphan((die) => ({ think: ({ number }) => (number === 2 ? die() : 'done') }), {
      hooks: back(),
    } satisfies LocalConversationOptions);
    const { conversation, agent } = await left.adopt({}, { hooks: back() });
    expect(await conversation.resumeRun()).toEqual({ status: 'finished', iterations: 1 });
    expect([asked, agent.requests]).toEqual([2, 1]);
  });

  test('the next process asks the Stop hooks about a handed-over answer, too', async () => {
    const asked = Promise.withResolvers<void>();
    const hanging = new FakeHooks({
      Stop: () => {
        asked.resolve();
        return never();
      },
    });
    const { conversation, store } = await play({}, { hooks: hanging });
    await conversation.sendMessage('go');
    const running = conversation.run();
    await asked.promise;
    await conversation.close({ runs: 'leave' });
    expect((await running).status).toBe('running');
    const hooks = new FakeHooks({ Stop: () => ({}) });
    const agent = new ScriptedAgent();
    const again = await open(store, { id: conversation.id, agent, hooks, interruptedRun: 'resume' });
    expect(await again.resumeRun()).toEqual({ status: 'finished', iterations: 0 });
    expect([hooks.moments, agent.requests]).toEqual(['Stop', 0]);
  });
});
