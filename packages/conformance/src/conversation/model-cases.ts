import assert from 'node:assert/strict';

import { z } from 'zod';

import type { Conversation } from '@conv/core';
import { defineTool } from '@conv/core/tool';
import { casesWhen } from '../conformance-case.ts';
import { conversationCase, type ConversationConformanceCase } from './conversation-under-test.ts';
import { echo, echoTool } from './echo-tool.ts';
import { refuses, story } from './expect-conversation.ts';

const modelCase = casesWhen(conversationCase, ({ models }) => models === true);

export const modelCases: readonly ConversationConformanceCase[] = [
  modelCase('another model is asked from the next request on, with the same tools and history', async ({ make }) => {
    const { conversation, model, modelRequests } = await make({
      turns: [{ text: 'From the first.' }],
      tools: [echoTool],
    });
    await conversation.sendMessage('Hi');
    await conversation.run();
    const before = conversation.events.length;
    await conversation.settings.setModel(await model?.([{ calls: [echo('again')] }, { text: 'From the second.' }]));
    assert.equal(conversation.events.length, before);
    await conversation.sendMessage('And you?');
    assert.equal((await conversation.run()).status, 'finished');
    assert.equal(await conversation.finalResponse(), 'From the second.');
    assert.deepEqual(await story(conversation, before), ['user', 'action', 'result', 'agent']);
    assert.equal(modelRequests(), 1);
  }),
  modelCase('a tool may have the agent continue with another model', async ({ make, patiently }) => {
    const using: { conversation?: Conversation; other?: unknown } = {};
    const switchModel = defineTool({
      name: 'switch_model',
      description: 'Goes on with another model.',
      input: z.object({}),
      execute: async () => {
        await using.conversation?.settings.setModel(using.other);
        return 'switched';
      },
    });
    const { conversation, model } = await make({
      turns: [{ calls: [{ name: 'switch_model', arguments: {} }] }],
      tools: [switchModel],
    });
    using.conversation = conversation;
    using.other = await model?.([{ text: 'From the second.' }]);
    await conversation.sendMessage('Switch');
    const { status } = await patiently('the run', conversation.run());
    assert.equal(status, 'finished');
    assert.equal(await conversation.finalResponse(), 'From the second.');
  }),
  conversationCase('P13: a value that is not a model is refused and changes nothing', async ({ make }) => {
    const { conversation } = await make({ turns: [{ text: 'Still here.' }] });
    const before = conversation.state.agent;
    for (const model of [undefined, null, 'a name', 7, {}])
      await refuses('INVALID_INPUT', `model ${JSON.stringify(model)}`, conversation.settings.setModel(model));
    assert.deepEqual(conversation.state.agent, before);
    await conversation.sendMessage('Hi');
    await conversation.run();
    assert.equal(await conversation.finalResponse(), 'Still here.');
  }),
];
