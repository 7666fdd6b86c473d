// Commands that only an earlier call makes dangerous, in conversations with the terminal and a policy that asks for HIGH.
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

import { createAgent, patternSecurityAnalyzer, reviveSecurityAnalyzer } from '@conv/agent';
import { type Conversation, createConversationFactory, type RunResult } from '@conv/core';
import { local } from '@conv/local';
import { FsStore } from '@conv/persist-fs';
import { call, calls, say } from '@conv/testing-model-server';
import { fileEditor, terminal } from '@conv/tools';
import { expect, test } from 'vitest';

import { type Rehearsal, rehearse } from '../../src/support/rehearse.ts';

const Factory = createConversationFactory({
  runtimes: [local({ storeAt: (directory) => new FsStore({ directory }), analyzers: reviveSecurityAnalyzer })],
});

const NOTHING = 'conv-no-such-folder';

function open(rehearsal: Rehearsal, id?: string): Promise<Conversation> {
  return Factory({
    agent: createAgent({ model: rehearsal.model, tools: [terminal(), fileEditor()] }),
    workspace: rehearsal.workspace,
    persistenceDir: rehearsal.conversations,
    ...(id === undefined
      ? {
          confirmationPolicy: { kind: 'ConfirmRisky', threshold: 'HIGH' } as const,
          securityAnalyzer: patternSecurityAnalyzer(),
        }
      : { id }),
  });
}

async function ask(conversation: Conversation): Promise<RunResult> {
  await conversation.sendMessage('go');
  return conversation.run();
}

/** The commands that wait for an approval. */
function waiting({ state }: Conversation): readonly unknown[] {
  return state.pendingActions.map(({ action }) => (action as { command?: unknown } | null)?.command);
}

test.each([
  ['cd ~', `rm -rf ${NOTHING}`],
  ['cd ~', `rm -rf "$PWD/${NOTHING}"`],
  ['cd ~', `find . -path "./${NOTHING}/c*" -delete`],
])('P10: the call after %s in one call, %s in the next one, waits for an approval', async (first, second) => {
  await using rehearsal = await rehearse([call('terminal', { command: first }), call('terminal', { command: second })]);
  await using conversation = await open(rehearsal);
  expect((await ask(conversation)).status).toBe('waiting_for_confirmation');
  expect(waiting(conversation)).toEqual([second]);
  await conversation.reject();
});

test('P10: the folder of the shell is known to the next process', async () => {
  const command = `rm -rf ${NOTHING}`;
  await using rehearsal = await rehearse([
    call('terminal', { command: 'cd ~' }),
    say('there'),
    call('terminal', { command }),
  ]);
  const before = await open(rehearsal);
  expect((await ask(before)).status).toBe('finished');
  await before.close();
  await using after = await open(rehearsal, before.id);
  expect((await ask(after)).status).toBe('waiting_for_confirmation');
  expect(waiting(after)).toEqual([command]);
  await after.reject();
});

test('P10: a command of the same response that leaves the workspace is read first', async () => {
  const command = `rm -rf ${NOTHING}`;
  await using rehearsal = await rehearse([
    calls([
      { name: 'terminal', arguments: { command: 'cd ~' } },
      { name: 'terminal', arguments: { command } },
    ]),
  ]);
  await using conversation = await open(rehearsal);
  expect((await ask(conversation)).status).toBe('waiting_for_confirmation');
  expect(waiting(conversation)).toEqual(['cd ~', command]);
  await conversation.reject();
});

test('P10: deleting in a subfolder of the workspace asks for nothing', async () => {
  await using rehearsal = await rehearse([
    call('terminal', { command: 'mkdir -p a/b c && cd a/b' }),
    call('terminal', { command: 'rm -rf ../../c' }),
    say('done'),
  ]);
  await using conversation = await open(rehearsal);
  expect((await ask(conversation)).status).toBe('finished');
  expect(existsSync(join(rehearsal.workspace, 'c'))).toBe(false);
});

test('P10: setting the name of the folder waits, because results would tell a wrong folder', async () => {
  const command = `PWD=${homedir()}`;
  await using rehearsal = await rehearse([call('terminal', { command })]);
  await using conversation = await open(rehearsal);
  expect((await ask(conversation)).status).toBe('waiting_for_confirmation');
  await conversation.reject();
});

test('P10: a link out of the workspace waits for an approval, with its reason', async () => {
  await using rehearsal = await rehearse([call('terminal', { command: 'ln -s ~/Documents l' })]);
  await using conversation = await open(rehearsal);
  expect((await ask(conversation)).status).toBe('waiting_for_confirmation');
  expect(conversation.state.pendingActions[0]?.reasons).toEqual([
    'Makes a link that leads out of the workspace, so that later paths through it look like paths inside.',
  ]);
  await conversation.reject();
});

test('P10: a script that deletes waits when it is written, and not a document about it', async () => {
  let workspace = '';
  const write = (name: string, text: string) => (): ReturnType<typeof call> =>
    call('file_editor', { command: 'create', path: join(workspace, name), file_text: text });
  await using rehearsal = await rehearse([
    write('README.md', 'Never run `rm -rf ~`.'),
    write('go.sh', '#!/bin/sh\nrm -rf ~\n'),
  ]);
  ({ workspace } = rehearsal);
  await using conversation = await open(rehearsal);
  expect((await ask(conversation)).status).toBe('waiting_for_confirmation');
  expect(existsSync(join(rehearsal.workspace, 'README.md'))).toBe(true);
  await conversation.reject();
});
