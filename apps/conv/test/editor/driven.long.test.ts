import process from 'node:process';

import { acpAgent } from '@conv/acp-agent';
import type { Agent, Conversation } from '@conv/core';
import { isEvent } from '@conv/core/events';
import { MemoryStore } from '@conv/core/store';
import { openLocalConversation } from '@conv/local';
import type { ModelServer } from '@conv/testing-model-server';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';

import { chatModel, environmentOf } from '../chat/model.ts';
import { commandOf } from '../command.ts';
import { newFolder } from '../new-folder.ts';

let model: ModelServer;
beforeAll(async () => {
  model = await chatModel();
});
afterAll(() => model.close());

test('a conversation drives conv acp as its agent, decides on its questions, and finds its session again', async () => {
  const [store, home, workspace] = [new MemoryStore(), newFolder(), newFolder()];
  const { args, env } = commandOf('acp', '--dir', home);
  const given = Object.entries({ ...env, ...environmentOf(model) }).filter(([, value]) => value !== undefined);
  const agent: Agent = acpAgent({
    command: process.execPath,
    args: [...args],
    env: Object.fromEntries(given) as Record<string, string>,
  });
  const open = async (id?: string): Promise<Conversation> => {
    const place = { store, workspace, agent, ...(id === undefined ? {} : { id }) };
    const conversation = await openLocalConversation({ storeAt: () => store }, place);
    onTestFinished(() => conversation.close());
    return conversation;
  };
  const conversation = await open();
  await conversation.settings.setConfirmationPolicy({ kind: 'AlwaysConfirm' });
  await conversation.sendMessage('please `pwd` risk HIGH');
  expect((await conversation.run()).status).toBe('waiting_for_confirmation');
  expect((await conversation.run()).status).toBe('finished');
  expect(await conversation.finalResponse()).toContain(`It printed: ${workspace}`);
  const events = await conversation.events.slice();
  const calls = events.flatMap((event) => (isEvent(event, 'ACPToolCallEvent') ? [event.status] : []));
  expect([calls[0], calls.at(-1)]).toEqual(['pending', 'completed']);
  const { acp_session_id: session } = conversation.state.agentState;
  await conversation.close();
  const again = await open(conversation.id);
  await again.sendMessage('hello');
  await again.run();
  expect(await again.finalResponse()).toBe('You said: hello');
  expect(again.state.agentState['acp_session_id']).toBe(session);
});
