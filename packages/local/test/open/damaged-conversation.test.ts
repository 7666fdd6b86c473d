import { initialFields, type StatePatch } from '@conv/core';
import { MemoryStore, toCommitSeq, type ConversationStore } from '@conv/core/store';
import { FaultyStore } from '@conv/testing-harness';
import { expect, test } from 'vitest';

import { freshFolder, open, play } from '../support/bench.ts';
import { ScriptedAgent } from '../support/scripted-agent.ts';

const ID = '0197b5a0-0000-7000-8000-000000000001';

/** Writes this as the first commit of a conversation, in the place of the commit that was lost. */
async function writeFirst(store: ConversationStore, id: string, set: NonNullable<StatePatch['set']>): Promise<void> {
  const journal = await store.open(ID, { owner: 'the dead' });
  await journal.append({ id, events: [], patch: { set } }, initialFields);
  await journal.close();
}

test('P4: nothing runs unasked under damage of the policy until a policy is set or given', async () => {
  const { conversation, store, agent } = await play({ think: ({ number }) => (number === 1 ? ['work'] : 'done') });
  await conversation.state.update({ set: { damaged: true, confirmationPolicy: { kind: 'AlwaysConfirm' } } });
  await conversation.sendMessage('go');
  expect((await conversation.run()).status).toBe('waiting_for_confirmation');
  const { id } = conversation;
  await conversation.close();
  const again = await open(store, { agent, id });
  expect(again.state).toMatchObject({ damaged: true, confirmationPolicy: { kind: 'AlwaysConfirm' } });
  await again.settings.setConfirmationPolicy({ kind: 'NeverConfirm' });
  expect(again.state, 'hooks and limits may still be unknown').toMatchObject({ damaged: true });
  await again.settings.confirmDamage();
  expect(again.state).toMatchObject({ damaged: false, confirmationPolicy: { kind: 'NeverConfirm' } });
});

test('P4: damage of the first commit costs the settings, but not the id and the folder', async () => {
  const store = new MemoryStore();
  await writeFirst(store, 'second', { title: 'survives' });
  const folder = freshFolder();
  const conversation = await open(store, { agent: new ScriptedAgent(), id: ID, workspace: folder });
  expect(conversation.state).toMatchObject({ id: ID, title: 'survives', workspace: { workingDir: folder } });
  await conversation.sendMessage('go');
  expect((await conversation.run()).status).toBe('finished');
});

test('P4: damage of the first commit refuses none of the OpenHands releases that a caller names each time', async () => {
  const store = new MemoryStore();
  await writeFirst(store, 'second', { title: 'survives' });
  const given = { agent: new ScriptedAgent(), id: ID, workspace: freshFolder(), openhands: '>=1.54' } as const;
  const conversation = await open(store, given);
  expect(conversation.state.extra.meta).toEqual({ openhands: '>=1.54' });
  await conversation.close();
  await (await open(store, given)).close();
});

test('P4: damage of the first commit is named with a remedy when work finds no agent', async () => {
  const store = new MemoryStore();
  const from = toCommitSeq(0);
  const damage = [{ from, to: from, reason: 'a flipped bit', restored: [] }];
  await writeFirst(store, 'record', { damaged: true, damage });
  const conversation = await open(store, { id: ID });
  const message: unknown = expect.stringMatching(
    new RegExp(`${ID}.*commit 0 .* is lost.*from a backup, or open it with an agent and a workspace`),
  );
  await expect(conversation.sendMessage('go')).rejects.toMatchObject({ code: 'AGENT_REQUIRED', message });
  await conversation.close();
  const next = await open(store, { agent: new ScriptedAgent(), id: ID, workspace: freshFolder() });
  await next.sendMessage('go');
  expect((await next.run()).status).toBe('finished');
});

test('P4: damage that put another conversation there rejects ID_MISMATCH and lets go of it', async () => {
  const store = new FaultyStore();
  await writeFirst(store, 'first', { id: ID.replace(/1$/, '2') });
  const agent = new ScriptedAgent();
  await expect(open(store, { agent, id: ID })).rejects.toMatchObject({ code: 'ID_MISMATCH' });
  await (await store.open(ID, { owner: 'next' })).close();
});
