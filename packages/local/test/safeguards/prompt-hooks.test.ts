import { describe, expect, test } from 'vitest';

import { gate, never, open, play, story, texts, type Bench } from '../support/bench.ts';
import { FakeHooks } from '../support/fake-hooks.ts';
import { ScriptedAgent, type Request } from '../support/scripted-agent.ts';

const no = { blocked: true, reason: 'not today' };
const sayings = ({ view }: Request): readonly string[] =>
  view.flatMap((event) => (event.kind === 'MessageEvent' ? JSON.stringify(event) : []));

async function begun(hooks: FakeHooks, text = 'go'): Promise<Bench> {
  const bench = await play({}, { hooks });
  await bench.conversation.sendMessage(text);
  return bench;
}

describe('the hooks of a message', () => {
  test('P7: hooks of a message run before the model is asked, and sending waits for none of them', async () => {
    const hooks = new FakeHooks({ UserPromptSubmit: never });
    const { conversation, store } = await begun(hooks);
    const { appends } = store;
    const { id } = await conversation.sendMessage('more');
    expect(store.appends).toBe(appends + 1);
    expect(conversation.state.uncheckedMessages).toHaveLength(2);
    expect(conversation.state.uncheckedMessages[1]).toBe(id);
    const running = conversation.run();
    await conversation.interrupt();
    expect((await running).status).toBe('paused');
  });

  test('hooks are told the text and the id of each message once, and are kept in the log', async () => {
    const hooks = new FakeHooks({ UserPromptSubmit: () => ({}) });
    const { conversation } = await begun(hooks);
    const { id } = await conversation.sendMessage('more');
    await conversation.run();
    expect(hooks.told).toMatchObject([{ message: 'go' }, { message: 'more', messageId: id }]);
    expect(await story(conversation)).toBe('system user user hook hook agent');
    expect(conversation.state.uncheckedMessages).toEqual([]);
    await conversation.sendMessage('third');
    await conversation.run();
    expect(hooks.told).toHaveLength(3);
  });

  test('a blocked message asks no model, finishes the run, and is never shown to the model', async () => {
    const shown: (readonly string[])[] = [];
    const hooks = new FakeHooks({ UserPromptSubmit: ({ message }) => (message === 'bad words' ? no : {}) });
    const { conversation, agent, store } = await play(
      { think: (request) => (shown.push(sayings(request)), 'done') },
      { hooks },
    );
    const { id } = await conversation.sendMessage('bad words');
    expect(await conversation.run()).toEqual({ status: 'finished', iterations: 0 });
    expect(agent.requests).toBe(0);
    expect(conversation.state.blockedMessages).toEqual({ [id]: 'not today' });
    await conversation.close();
    const again = await open(store, { id: conversation.id, agent, hooks });
    await again.sendMessage('good words');
    expect((await again.run()).status).toBe('finished');
    await again.askAgent('what was said?');
    expect(shown).toHaveLength(2);
    expect(shown.join()).not.toContain('bad words');
    expect(shown.join()).toContain('good words');
  });

  test('the same run answers a message that comes while hooks block another', async () => {
    const hooks = new FakeHooks({ UserPromptSubmit: ({ message }) => (message === 'bad words' ? no : {}) });
    const { conversation, agent } = await begun(hooks, 'bad words');
    let sent: Promise<unknown> | undefined;
    conversation.subscribe((event) => {
      if (event.kind === 'HookExecutionEvent') sent ??= conversation.sendMessage('good words');
    });
    expect((await conversation.run()).status).toBe('finished');
    await sent;
    expect(agent.requests).toBe(1);
    expect(await texts(conversation)).toEqual(['bad words', 'good words', 'done']);
  });

  test('hooks that deny a message and have something to add still block it', async () => {
    const hooks = new FakeHooks({ UserPromptSubmit: () => ({ ...no, additionalContext: 'by the way' }) });
    const { conversation, agent } = await begun(hooks);
    expect((await conversation.run()).status).toBe('finished');
    expect(agent.requests).toBe(0);
    expect(await texts(conversation)).toEqual(['go']);
  });

  test('hooks tell the model what they have to add', async () => {
    const hooks = new FakeHooks({ UserPromptSubmit: () => ({ additionalContext: 'it is Friday' }) });
    const { conversation } = await begun(hooks);
    await conversation.run();
    expect(await texts(conversation)).toEqual(['go', 'it is Friday', 'done']);
    expect(await story(conversation)).toBe('system user hook environment agent');
  });

  test('a message that comes while others are checked is checked before any model sees it', async () => {
    const seen: (readonly string[])[] = [];
    const checking = gate();
    const hooks = new FakeHooks({
      UserPromptSubmit: async ({ message }) => {
        if (message === 'go') await checking.pass();
        return message === 'bad words' ? no : {};
      },
    });
    const { conversation } = await play({ think: (request) => (seen.push(sayings(request)), 'done') }, { hooks });
    await conversation.sendMessage('go');
    const running = conversation.run();
    await checking.reached;
    await conversation.sendMessage('bad words');
    checking.open();
    expect((await running).status).toBe('finished');
    expect(seen.join()).not.toContain('bad words');
  });

  test('a blocked message reaches no model at any moment of a run, and the run ends', async () => {
    for (let moment = 0; moment < 120; moment++) {
      const seen: (readonly string[])[] = [];
      const hooks = new FakeHooks({ UserPromptSubmit: ({ message }) => (message === 'bad words' ? no : {}) });
      const { conversation } = await play(
        { think: (request) => (seen.push(sayings(request)), request.number === 1 ? ['work'] : 'done') },
        { hooks },
      );
      await conversation.sendMessage('go');
      const running = conversation.run();
      for (let turn = 0; turn < moment; turn++) await Promise.resolve();
      await conversation.sendMessage('bad words');
      await running;
      expect((await conversation.run()).status, `moment ${moment}`).toBe('finished');
      expect(seen.join()).not.toContain('bad words');
      expect(conversation.state.uncheckedMessages).toEqual([]);
      await conversation.close();
    }
  });

  test('P5: hooks of a message are asked again when the process died before their answer was kept', async () => {
    const asked = gate();
    const dead = new FakeHooks({ UserPromptSubmit: () => asked.pass().then(never) });
    const { conversation, store } = await begun(dead);
    void conversation.run();
    await asked.reached;
    const id = '99999999-9999-4999-8999-999999999999';
    await store.fork(conversation.id, id, { patch: { set: { id } } });
    const agent = new ScriptedAgent();
    const again = await open(store, { id, agent, hooks: new FakeHooks({ UserPromptSubmit: () => no }) });
    expect((await again.run()).status).toBe('finished');
    expect(agent.requests).toBe(0);
  });

  test('the hooks of a blocked message on another branch stop nothing', async () => {
    const hooks = new FakeHooks({ UserPromptSubmit: ({ message }) => (message === 'bad words' ? no : {}) });
    const { conversation, agent } = await begun(hooks);
    const { leafEventId } = conversation.state;
    await conversation.sendMessage('bad words');
    await conversation.run();
    await conversation.history.navigateTo(leafEventId);
    expect((await conversation.run()).status).toBe('finished');
    expect(agent.requests).toBe(1);
  });

  test('a fork without a message forgets the noted answer to it', async () => {
    const hooks = new FakeHooks({ UserPromptSubmit: ({ message }) => (message === 'bad words' ? no : {}) });
    const { conversation, agent, store } = await begun(hooks);
    const first = conversation.state.leafEventId ?? '';
    await conversation.sendMessage('bad words');
    await conversation.run();
    await conversation.sendMessage('unchecked');
    const fork = await open(store, { id: await conversation.history.fork({ from: first }), agent, hooks });
    expect(fork.state).toMatchObject({ uncheckedMessages: [], blockedMessages: {} });
    const whole = await open(store, { id: await conversation.history.fork(), agent, hooks });
    expect(whole.state.uncheckedMessages).toHaveLength(1);
    expect(Object.values(whole.state.blockedMessages)).toEqual(['not today']);
  });
});
