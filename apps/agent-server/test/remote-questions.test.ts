import { ModelScript, ScriptedAgent } from '@conv/conformance';
import { defineTool, text } from '@conv/core/tool';
import { askUser } from '@conv/openhands/client-tools';
import { openRemoteConversation } from '@conv/remote';
import { takeRequest, untilRest, type TurnItem } from '@conv/turns';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';

import { ServerUnderTest } from './server-under-test.ts';

test('P11: changes of a remote conversation end when a question of the agent begins to wait', async () => {
  const isFollowed = Promise.withResolvers<void>();
  const look = defineTool({
    name: 'look',
    description: 'Looks.',
    input: z.object({}),
    execute: async () => {
      await isFollowed.promise;
      return text('Two colours.');
    },
  });
  const asks = ['look', 'ask_user'].map((name) => ({ name, arguments: { question: 'Which one?' } }));
  const agent = new ScriptedAgent({ script: new ModelScript([{ calls: asks }]), tools: [look] });
  const server = await ServerUnderTest.start(agent);
  onTestFinished(() => server.dispose());
  const { workspace } = server;
  const conversation = await openRemoteConversation({}, { workspace, agent: agent.describe(), clientTools: [askUser] });
  onTestFinished(() => conversation.close());
  const { after, run } = await takeRequest(conversation, { content: [{ type: 'text', text: 'Paint it' }] });
  let last: TurnItem | undefined;
  for await (const change of untilRest(conversation, { after, run })) {
    if (change.type !== 'item') continue;
    last = change.item;
    if (last.kind !== 'call' || last.tool !== 'ask_user') continue;
    // behind every look at the server that an earlier frame asked for, so that the beginning of the question has a frame of its own
    await conversation.settings.setTitle('Paint');
    isFollowed.resolve();
  }
  expect(last).toMatchObject({ tool: 'ask_user', phase: 'started' });
}, 10_000);
