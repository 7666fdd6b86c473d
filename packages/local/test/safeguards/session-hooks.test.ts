import { join } from 'node:path';

import { SECRET_MASK, type Hooks } from '@conv/core';
import { MemoryStore } from '@conv/core/store';
import { describe, expect, test } from 'vitest';

import { openLocalConversation } from '../../src/index.ts';
import { freshFolder, gate, never, open, play, story, texts } from '../support/bench.ts';
import { FakeHooks, ran } from '../support/fake-hooks.ts';
import { FakeVault } from '../support/fake-vault.ts';
import { ScriptedAgent, type Request } from '../support/scripted-agent.ts';

const oneCall = ({ number }: Request): string | readonly string[] => (number === 1 ? ['work'] : 'done');

describe('the hooks of a session', () => {
  test('hooks of a session run once for each opening that runs, in this order', async () => {
    const nothing = (): object => ({});
    const hooks = new FakeHooks({
      SessionStart: () => ({ additionalContext: 'welcome' }),
      UserPromptSubmit: nothing,
      PreToolUse: nothing,
      PostToolUse: nothing,
      Stop: nothing,
      SessionEnd: nothing,
    });
    const { conversation, store, agent } = await play({ think: oneCall }, { hooks });
    await conversation.sendMessage('go');
    await conversation.run();
    expect(hooks.moments).toBe('SessionStart UserPromptSubmit PreToolUse PostToolUse Stop');
    await conversation.sendMessage('more');
    await conversation.run();
    expect(hooks.moments.split('SessionStart')).toHaveLength(2);
    await conversation.close();
    expect(hooks.moments.endsWith(' Stop SessionEnd')).toBe(true);
    expect(hooks.closed).toBe(1);
    const again = await open(store, { id: conversation.id, agent, hooks });
    expect(await again.events.at(-1)).toMatchObject({ hook_event_type: 'SessionEnd' });
    expect((await texts(again))[1]).toBe('welcome');
    const { length } = hooks.told;
    await again.close();
    expect(hooks.told).toHaveLength(length);
  });

  test('an interrupted beginning is tried again by the next run', async () => {
    const told = gate();
    let attempts = 0;
    const hooks = new FakeHooks({ SessionStart: () => (++attempts === 1 ? told.pass().then(never) : {}) });
    const { conversation } = await play({}, { hooks });
    await conversation.sendMessage('go');
    const running = conversation.run();
    await told.reached;
    await conversation.interrupt();
    expect((await running).status).toBe('paused');
    expect((await conversation.run()).status).toBe('finished');
    expect(attempts).toBe(2);
  });

  test('a hook that ends in the background is stored when it ends, until the conversation is closed', async () => {
    const hooks = new FakeHooks({ SessionStart: () => ({}) });
    const { conversation } = await play({}, { hooks });
    await conversation.sendMessage('go');
    const seen: string[] = [];
    const kept = new Promise<void>((resolve) => {
      conversation.subscribe((event) => {
        seen.push(event.kind);
        resolve();
      });
    });
    hooks.session?.onAsyncEnd(ran({ type: 'PostToolUse' }));
    await kept;
    expect(seen).toEqual(['HookExecutionEvent']);
    await conversation.close();
    hooks.session?.onAsyncEnd(ran({ type: 'PostToolUse' }));
    expect(conversation.events.length).toBe(3);
  });

  test('hooks of a session know their folder and the secrets, and their output is masked', async () => {
    const hooks = new FakeHooks({
      UserPromptSubmit: (occasion) => ({
        events: [{ ...ran(occasion), stdout: 'correct-horse-battery' }],
        additionalContext: 'it is correct-horse-battery',
      }),
    });
    const vault = { secrets: (options: object) => new FakeVault(options) };
    const { conversation } = await play({}, { hooks, secrets: { TOKEN: 'correct-horse-battery' } }, vault);
    await conversation.sendMessage('use correct-horse-battery');
    await conversation.run();
    expect(hooks.session).toMatchObject({
      conversationId: conversation.id,
      workingDirectory: conversation.state.workspace.workingDir,
    });
    expect(await hooks.session?.secrets?.environmentFor('TOKEN', new AbortController().signal)).toMatchObject({
      environment: { TOKEN: 'correct-horse-battery' },
    });
    expect(hooks.told[0]?.message).toBe(`use ${SECRET_MASK}`);
    expect(JSON.stringify(await conversation.events.slice())).not.toContain('correct-horse-battery');
  });

  test('hooks of a session know the folder of long output that tools know', async () => {
    const hooks = new FakeHooks({ SessionStart: () => ({}) });
    const persistenceDir = freshFolder();
    const options = { workspace: freshFolder(), persistenceDir, hooks, agent: new ScriptedAgent({}) };
    const conversation = await openLocalConversation({ storeAt: () => new MemoryStore() }, options);
    expect(hooks.session?.sideDirectory).toBe(
      join(persistenceDir, conversation.id.replaceAll('-', ''), 'observations'),
    );
    await conversation.close();
  });

  test('a record of a hook that is too large for the log is stored without its output', async () => {
    const hooks = new FakeHooks({
      UserPromptSubmit: (occasion) => ({
        events: [{ ...ran(occasion), stdout: 'x'.repeat(2 ** 21) }],
        additionalContext: 'y'.repeat(2 ** 21),
      }),
    });
    const { conversation } = await play({}, { hooks });
    await conversation.sendMessage('go');
    expect((await conversation.run()).status).toBe('finished');
    expect(await conversation.events.at(2)).toMatchObject({ kind: 'HookExecutionEvent', stdout: '' });
  });
});

describe('P2: the end of a session', () => {
  test('P2: the end of a session does not wait when another process has taken the conversation over', async () => {
    const told = gate();
    const hooks = new FakeHooks({ SessionEnd: () => told.pass().then(never) });
    const { conversation, store } = await play({}, { hooks });
    await conversation.sendMessage('go');
    await conversation.run();
    const closing = conversation.close();
    await told.reached;
    store.fenceOff();
    await closing;
    expect(hooks.closed).toBe(1);
  });
});

describe('the hooks of an answer', () => {
  test.each([['done'], [['finish']]])(
    'hooks send the answer %j back until they are content, and the run goes on all the time',
    async (answer) => {
      const statuses: string[] = [];
      const hooks: FakeHooks = new FakeHooks({
        Stop: ({ stopHookActive }) => {
          statuses.push(bench.conversation.state.executionStatus);
          return stopHookActive ? {} : { blocked: true, reason: 'the tests fail' };
        },
      });
      const bench = await play({ think: () => answer }, { hooks });
      await bench.conversation.sendMessage('go');
      expect(await bench.conversation.run()).toEqual({ status: 'finished', iterations: 2 });
      expect(statuses).toEqual(['running', 'running']);
      expect(hooks.told.map(({ message, stopHookActive }) => [message, stopHookActive])).toEqual([
        [answer === 'done' ? 'done' : 'finished', false],
        [answer === 'done' ? 'done' : 'finished', true],
      ]);
      expect((await texts(bench.conversation)).filter((text) => text.startsWith('['))).toEqual([
        '[Stop hook feedback] the tests fail',
      ]);
    },
  );

  test('a run whose hooks block every answer ends at the limit of iterations', async () => {
    const hooks = new FakeHooks({ Stop: () => ({ blocked: true }) });
    const { conversation } = await play({}, { hooks, maxIterations: 3 });
    await conversation.sendMessage('go');
    expect(await conversation.run()).toMatchObject({ status: 'error', iterations: 3 });
  });

  test('hooks of an answer leave a message that came meanwhile to the same run', async () => {
    const asked = gate();
    const hooks = new FakeHooks({ Stop: ({ message }) => (message === 'first' ? asked.pass().then(() => ({})) : {}) });
    const { conversation } = await play({ think: ({ number }) => (number === 1 ? 'first' : 'second') }, { hooks });
    await conversation.sendMessage('go');
    const running = conversation.run();
    await asked.reached;
    await conversation.sendMessage('and this?');
    asked.open();
    expect(await running).toEqual({ status: 'finished', iterations: 2 });
    expect(await texts(conversation)).toEqual(['go', 'first', 'and this?', 'second']);
  });

  test('P7: an interrupt cancels the hooks of an answer', async () => {
    const asked = gate();
    const { conversation } = await play({}, { hooks: new FakeHooks({ Stop: () => asked.pass().then(never) }) });
    await conversation.sendMessage('go');
    const running = conversation.run();
    await asked.reached;
    await conversation.interrupt();
    expect((await running).status).toBe('paused');
  });
});

describe('P4: stored hooks', () => {
  const hooks = new FakeHooks({ PreToolUse: () => ({ blocked: true }) });
  const other = new FakeHooks({ Stop: () => ({}) });

  test('P4: restarts and forks keep stored hooks, and the runtime finds them again', async () => {
    const { conversation, store } = await play({}, { hooks });
    const { id } = conversation;
    await conversation.close();
    const find = (): Hooks => hooks;
    const agent = new ScriptedAgent({ think: oneCall });
    const again = await open(store, { id, agent }, { hooks: find });
    await again.sendMessage('go');
    await again.run();
    expect(agent.begun).toEqual([]);
    const fork = await open(store, { id: await again.history.fork(), agent }, { hooks: find });
    expect(fork.state.hookConfig).toEqual(hooks.config);
  });

  test('P4: a conversation whose hooks cannot be found opens, and a run rejects HOOKS_MISSING', async () => {
    const calls: string[] = [];
    const { conversation, store } = await play(
      { think: oneCall },
      { hooks, confirmationPolicy: { kind: 'AlwaysConfirm' } },
    );
    const { id } = conversation;
    await conversation.sendMessage('go');
    await conversation.close();
    const fails = (): never => {
      throw new Error('no such function');
    };
    for (const runtime of [{}, { hooks: () => undefined }, { hooks: fails }]) {
      const agent = new ScriptedAgent({ think: oneCall, call: (tool) => calls.push(tool) });
      const again = await open(store, { id, agent }, runtime);
      expect(again.state.hookConfig).toEqual(hooks.config);
      await again.settings.setTitle('still mine');
      await again.sendMessage('and this?');
      await expect(again.run()).rejects.toMatchObject({ code: 'HOOKS_MISSING', conversationId: id });
      expect(await again.events.at(-1)).toMatchObject({ kind: 'ConversationErrorEvent', code: 'HOOKS_MISSING' });
      expect(agent.begun).toEqual([]);
      await again.close();
    }
    expect(calls).toEqual([]);
    const last = await open(store, { id, agent: new ScriptedAgent({ think: oneCall }) }, { hooks: () => hooks });
    expect((await last.run()).status).toBe('waiting_for_confirmation');
    await last.approve();
    await last.close();
    const without = await open(store, { id, agent: new ScriptedAgent({ call: (tool) => calls.push(tool) }) });
    await expect(without.run()).rejects.toMatchObject({ code: 'HOOKS_MISSING' });
    expect(calls).toEqual([]);
  });

  test('P4: stored hooks that cannot be found can be replaced or removed', async () => {
    const { conversation, store, agent } = await play({}, { hooks });
    const { id } = conversation;
    await conversation.close();
    const changed = await open(store, { id, agent, hooks: other });
    expect(changed.state.hookConfig).toEqual(other.config);
    await changed.close();
    const removed = await open(store, { id, agent, hooks: null });
    expect(removed.state.hookConfig).toBeNull();
    await removed.close();
    await (await open(store, { id, agent })).close();
  });

  test('P4: stored hooks without a hook in them are no hooks', async () => {
    const { conversation, store, agent } = await play();
    const { id } = conversation;
    await conversation.state.update({ set: { hookConfig: { pre_tool_use: [], stop: [] } } });
    await conversation.close();
    await (await open(store, { id, agent })).close();
  });

  test('P10: hooks of a conversation hold in its children, whatever hooks the children were given', async () => {
    const { conversation, store, agent } = await play({}, { hooks });
    const parentId = conversation.id;
    for (const given of [null, other]) {
      const child = await open(store, { agent, parentId, hooks: given }, { hooks: () => hooks });
      expect(child.state.hookConfig).toEqual(hooks.config);
    }
    const same = await open(store, { agent, parentId, hooks });
    expect(same.state.hookConfig).toEqual(hooks.config);
    const count = (await store.list()).items.length;
    await expect(open(store, { agent, parentId })).rejects.toMatchObject({ code: 'HOOKS_MISSING' });
    expect((await store.list()).items).toHaveLength(count);
    const { conversation: free, store: second } = await play();
    const own = await open(second, { agent, parentId: free.id, hooks: other });
    expect(own.state.hookConfig).toEqual(other.config);
  });

  test('P13: invalid hooks reject INVALID_INPUT', async () => {
    for (const wrong of [7, {}, { config: null, start: () => {} }])
      await expect(play({}, { hooks: wrong as never })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });
});

test('moments that no hook waits for cost no commit', async () => {
  const think = oneCall;
  const appends: number[] = [];
  for (const hooks of [null, new FakeHooks({ SessionEnd: () => ({}) })]) {
    const { conversation, store } = await play({ think }, { hooks });
    await conversation.sendMessage('go');
    await conversation.run();
    expect(await story(conversation)).toBe('system user action result agent');
    appends.push(store.appends);
  }
  expect(appends[0]).toBe(appends[1]);
});
