import { existsSync } from 'node:fs';

import { keptJson } from '@conv/core';
import type { Executor, ToolSession } from '@conv/core/tool';
import { describe, expect, test } from 'vitest';

import { openLocalConversation, type LocalConversationOptions } from '../../src/index.ts';
import { freshFolder, open, play } from '../support/bench.ts';
import { FakeHooks } from '../support/fake-hooks.ts';
import { ScriptedAgent } from '../support/scripted-agent.ts';

const executor: Executor = { execute: async () => ({}), end: async () => undefined };
/** A folder that this machine does not have. */
const workingDir = '/folder-of-an-executor';
const workspace = { kind: 'LocalWorkspace', workingDir, executor } as const;

describe('a conversation that works in an executor', () => {
  test('a conversation gives its executor to its tools, with a folder that is not made on this machine', async () => {
    const sessions: ToolSession[] = [];
    const { conversation } = await play({ onStart: (session) => sessions.push(session) }, { workspace });
    await conversation.sendMessage('go');
    await conversation.run();
    expect(sessions[0]).toMatchObject({ workingDirectory: workingDir, executor });
    expect(existsSync(workingDir)).toBe(false);
    await conversation.close();
  });

  test('P13: a conversation does not open without its executor, and opens with a folder of this machine', async () => {
    const { conversation, store } = await play({}, { workspace });
    const { id } = conversation;
    await conversation.close();
    const again: LocalConversationOptions = { id, store, agent: new ScriptedAgent(), create: 'never' };
    const runtime = { storeAt: () => store };
    await expect(openLocalConversation(runtime, again)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining(`expected the executor in which conversation ${id} works`),
    });
    const folder = freshFolder();
    const moved = await openLocalConversation(runtime, { ...again, workspace: folder });
    expect(moved.state.workspace).toEqual({ kind: 'LocalWorkspace', workingDir: folder });
    await moved.close();
    await (await openLocalConversation(runtime, again)).close();
  });

  test('a conversation in an executor is forked into a conversation that works there, too', async () => {
    const { conversation, store } = await play({}, { workspace });
    await conversation.sendMessage('go');
    const id = await conversation.history.fork();
    await conversation.close();
    const fork = await open(store, { id, workspace, create: 'never', agent: new ScriptedAgent() });
    expect(fork.state.workspace).toEqual(keptJson({ kind: 'LocalWorkspace', workingDir, executor: true }));
    await fork.close();
  });

  test.each([
    ['of this machine, as a container with a folder of it does', freshFolder],
    ['that this machine lacks, and in no other', () => workingDir],
  ])('a conversation in an executor gives its hooks its own folder %s', async (_, folderOf) => {
    const hooks = new FakeHooks({ SessionStart: () => ({}) });
    const folder = folderOf();
    const { conversation } = await play({}, { workspace: { ...workspace, workingDir: folder }, hooks });
    expect(hooks.session?.workingDirectory).toBe(folder);
    await conversation.close();
  });

  test('P13: a conversation is refused with anything else in the place of the executor', async () => {
    const wrong = { ...workspace, executor: { host: 'localhost' } as unknown as Executor };
    await expect(play({}, { workspace: wrong })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      message: expect.stringContaining('workspace.executor: expected executeIn(workspace)'),
    });
  });
});
