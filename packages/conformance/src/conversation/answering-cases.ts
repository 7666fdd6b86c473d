import assert from 'node:assert/strict';

import { isEvent } from '@conv/core/events';
import { conversationCase, type ConversationConformanceCase } from './conversation-under-test.ts';
import { echo, echoTool } from './echo-tool.ts';
import { story, textOf } from './expect-conversation.ts';
import type { ScriptedCall } from './model-script.ts';

function finish(message: string): { readonly calls: readonly ScriptedCall[] } {
  return { calls: [{ name: 'finish', arguments: { message } }] };
}

/** Cases about the order of events while the agent works. */
export const answeringCases: readonly ConversationConformanceCase[] = [
  conversationCase('a plain answer follows the message and ends the run', async ({ make }) => {
    const { conversation } = await make({ turns: [{ text: 'Hello.' }] });
    await conversation.sendMessage('Hi');
    assert.deepEqual(await story(conversation), ['system', 'user']);
    assert.equal(conversation.state.executionStatus, 'idle');
    assert.deepEqual(await conversation.run(), { status: 'finished', iterations: 1 });
    assert.deepEqual(await story(conversation), ['system', 'user', 'agent']);
    assert.equal(conversation.state.executionStatus, 'finished');
    assert.equal(await conversation.finalResponse(), 'Hello.');
    const history = await conversation.state.conversationHistory();
    assert.deepEqual(history.map(textOf), ['Hi', 'Hello.']);
  }),
  conversationCase('a call is followed by its result, and then the model is asked again', async ({ make }) => {
    const { conversation, modelRequests } = await make({
      turns: [{ calls: [echo('a')] }, { text: 'Done.' }],
      tools: [echoTool],
    });
    await conversation.sendMessage('Go');
    assert.deepEqual(await conversation.run(), { status: 'finished', iterations: 2 });
    assert.deepEqual(await story(conversation, 2), ['action', 'result', 'agent']);
    assert.equal(modelRequests(), 2);
    assert.deepEqual(conversation.state.pendingActions, []);
    assert.equal(conversation.state.iteration, 2);
    assert.ok(conversation.state.metrics.llmCallCount === 2, 'both requests are counted');
  }),
  conversationCase(
    'several calls of one answer are all stored before the first result, and results come in their order',
    async ({ make }) => {
      const { conversation } = await make({
        turns: [{ calls: [echo('a'), echo('b'), echo('c')] }, { text: 'Done.' }],
        tools: [echoTool],
      });
      await conversation.sendMessage('Go');
      await conversation.run();
      assert.deepEqual(await story(conversation, 2), [
        'action',
        'action',
        'action',
        'result',
        'result',
        'result',
        'agent',
      ]);
      const events = await conversation.events.slice(2, 8);
      const [actions, results] = [events.slice(0, 3), events.slice(3)];
      results.forEach((result, at) => {
        assert.ok(isEvent(result, 'ObservationEvent'));
        assert.equal(result.action_id, actions[at]?.id);
      });
    },
  ),
  conversationCase(
    'a finish call ends the run with its result, and its message is the final response',
    async ({ make }) => {
      const { conversation, modelRequests } = await make({
        turns: [{ calls: [{ name: 'finish', arguments: { message: 'All done.' } }] }],
      });
      await conversation.sendMessage('Go');
      assert.deepEqual(await conversation.run(), { status: 'finished', iterations: 1 });
      assert.deepEqual(await story(conversation, 2), ['action', 'result']);
      assert.equal(await conversation.finalResponse(), 'All done.');
      assert.equal(modelRequests(), 1);
    },
  ),
  conversationCase('the final response is the newest answer, as a message or from a finish call', async ({ make }) => {
    const { conversation } = await make({ turns: [finish('Paris'), { text: 'Rome' }, finish('Madrid')] });
    for (const [question, answer] of [
      ['France?', 'Paris'],
      ['Italy?', 'Rome'],
      ['Spain?', 'Madrid'],
    ] as const) {
      await conversation.sendMessage(question);
      await conversation.run();
      assert.equal(await conversation.finalResponse(), answer);
    }
  }),
  conversationCase('a finish call that was rejected is not a final response', async ({ make }) => {
    const { conversation } = await make({
      turns: [{ text: 'First.' }, { calls: [echo('a'), ...finish('Refused.').calls] }],
      tools: [echoTool],
      confirmationPolicy: { kind: 'AlwaysConfirm' },
    });
    await conversation.sendMessage('Go');
    await conversation.run();
    await conversation.sendMessage('Go on');
    assert.equal((await conversation.run()).status, 'waiting_for_confirmation');
    assert.equal(await conversation.finalResponse(), 'First.', 'while the call waits');
    await conversation.reject();
    assert.equal(await conversation.finalResponse(), 'First.', 'after the call was rejected');
  }),
  conversationCase('a call of an unknown tool is answered with an error, and the run continues', async ({ make }) => {
    const { conversation } = await make({
      turns: [{ calls: [{ name: 'no_such_tool', arguments: {} }] }, { text: 'Sorry.' }],
    });
    await conversation.sendMessage('Go');
    assert.equal((await conversation.run()).status, 'finished');
    assert.deepEqual(await story(conversation, 2), ['action', 'error', 'agent']);
    const action = await conversation.events.at(2);
    assert.ok(action && isEvent(action, 'ActionEvent') && !action.action, 'the action cannot be executed');
  }),
  conversationCase(
    'a call with invalid arguments is answered with an error, and the run continues',
    async ({ make }) => {
      const calls = [
        { name: 'echo', arguments: { wrong: 1 } },
        { name: 'echo', arguments: 'no json' },
      ];
      const { conversation } = await make({ turns: [{ calls }, { text: 'Sorry.' }], tools: [echoTool] });
      await conversation.sendMessage('Go');
      assert.equal((await conversation.run()).status, 'finished');
      assert.deepEqual((await story(conversation, 2)).toSorted(), ['action', 'action', 'agent', 'error', 'error']);
      assert.deepEqual(conversation.state.pendingActions, []);
    },
  ),
  conversationCase('a tool that fails gives the model something to read, and the run continues', async ({ make }) => {
    const { conversation } = await make({
      turns: [{ calls: [echo('fail'), echo('b')] }, { text: 'Sorry.' }],
      tools: [echoTool],
    });
    await conversation.sendMessage('Go');
    assert.equal((await conversation.run()).status, 'finished');
    assert.deepEqual(await story(conversation, 2), ['action', 'action', 'error', 'result', 'agent']);
  }),
  conversationCase('an empty answer is followed by a nudge, and the run continues', async ({ make }) => {
    const { conversation } = await make({ turns: [{ text: '' }, { text: 'Here I am.' }] });
    await conversation.sendMessage('Go');
    assert.deepEqual(await conversation.run(), { status: 'finished', iterations: 2 });
    assert.deepEqual(await story(conversation, 2), ['agent', 'environment', 'agent']);
  }),
  conversationCase('a run before the first message asks nothing', async ({ make }) => {
    const { conversation, modelRequests } = await make({ turns: [] });
    assert.equal((await conversation.run()).iterations, 0);
    assert.equal(modelRequests(), 0);
  }),
  conversationCase('a run after the end without a new message asks nothing and writes nothing', async ({ make }) => {
    const { conversation, modelRequests } = await make({ turns: [{ text: 'Done.' }] });
    await conversation.sendMessage('Go');
    await conversation.run();
    assert.deepEqual(await conversation.run(), { status: 'finished', iterations: 0 });
    assert.equal(modelRequests(), 1);
    assert.deepEqual(await story(conversation), ['system', 'user', 'agent']);
  }),
  conversationCase(
    'a message after the end makes the conversation idle, and the next run answers it',
    async ({ make }) => {
      const { conversation } = await make({ turns: [{ text: 'One.' }, { text: 'Two.' }] });
      await conversation.sendMessage('First');
      await conversation.run();
      await conversation.sendMessage('Second');
      assert.equal(conversation.state.executionStatus, 'idle');
      await conversation.run();
      assert.deepEqual(await story(conversation), ['system', 'user', 'agent', 'user', 'agent']);
      assert.equal(await conversation.finalResponse(), 'Two.');
    },
  ),
];
