import assert from 'node:assert/strict';

import { isEvent } from '@conv/core/events';
import { conversationCase, type ConversationConformanceCase } from './conversation-under-test.ts';
import { echo, echoTool } from './echo-tool.ts';
import { refuses, story } from './expect-conversation.ts';
import { waitingTool } from './waiting-tool.ts';

const WAIT = { calls: [{ name: 'wait', arguments: {} }] };

/** Cases about runs that stop before the task is done. */
export const stoppingCases: readonly ConversationConformanceCase[] = [
  conversationCase(
    'pause lets the step end and keeps the model from being asked again; a run continues',
    async ({ make, patiently }) => {
      const { tool, started, release } = waitingTool();
      const { conversation, modelRequests } = await make({ turns: [WAIT, { text: 'Done.' }], tools: [tool] });
      await conversation.sendMessage('Go');
      const running = conversation.run();
      await patiently('the call to start', started);
      await conversation.pause();
      release();
      assert.equal((await patiently('the run to end', running)).status, 'paused');
      assert.deepEqual(await story(conversation, 2), ['action', 'result', 'pause']);
      assert.equal(modelRequests(), 1);
      assert.equal((await conversation.run()).status, 'finished');
      assert.deepEqual(await story(conversation, 2), ['action', 'result', 'pause', 'agent']);
    },
  ),
  conversationCase(
    'pausing an idle conversation twice makes one event, and pausing a finished one none',
    async ({ make }) => {
      const { conversation } = await make({ turns: [{ text: 'Done.' }] });
      await conversation.sendMessage('Go');
      await conversation.pause();
      await conversation.pause();
      assert.equal(conversation.state.executionStatus, 'paused');
      await conversation.run();
      await conversation.pause();
      assert.equal(conversation.state.executionStatus, 'finished');
      assert.deepEqual(await story(conversation), ['system', 'user', 'pause', 'agent']);
    },
  ),
  conversationCase('a pause before the first message takes no system prompt from the model', async ({ make }) => {
    const read: (readonly string[])[] = [];
    const { conversation } = await make({ turns: [{ text: 'Done.', reads: (roles) => read.push(roles) }] });
    await conversation.pause();
    await conversation.sendMessage('Go');
    assert.equal((await conversation.run()).status, 'finished');
    const spoken = (await story(conversation)).filter((kind) => kind !== 'pause');
    assert.deepEqual(spoken, ['system', 'user', 'agent']);
    assert.deepEqual(read, [['system', 'user']]);
  }),
  conversationCase('P7: interrupt ends a request of the model at once', async ({ make, patiently }) => {
    const asked = Promise.withResolvers<void>();
    const never = { text: 'never', asked: asked.resolve, after: new Promise<void>(() => {}) };
    const { conversation } = await make({ turns: [never, { text: 'Done.' }] });
    await conversation.sendMessage('Go');
    const running = conversation.run();
    await patiently('the model to be asked', asked.promise);
    await patiently('the interruption', conversation.interrupt());
    assert.equal((await running).status, 'paused');
    assert.deepEqual(await story(conversation, 2), ['interrupt']);
    assert.equal((await conversation.run()).status, 'finished');
  }),
  conversationCase(
    'P5: interrupt gives every open call a result, also a call whose tool continues regardless',
    async ({ make, patiently }) => {
      const { tool, started, release } = waitingTool({ stubborn: true });
      const turns = [{ calls: [{ name: 'wait', arguments: {} }, echo('b')] }, { text: 'Done.' }];
      const { conversation } = await make({ turns, tools: [tool, echoTool] });
      await conversation.sendMessage('Go');
      const running = conversation.run();
      await patiently('the call to start', started);
      await patiently('the interruption', conversation.interrupt());
      assert.equal((await running).status, 'paused');
      assert.deepEqual(await story(conversation, 2), ['action', 'action', 'error', 'error', 'interrupt']);
      assert.deepEqual(conversation.state.pendingActions, []);
      release();
      assert.equal((await conversation.run()).status, 'finished');
      assert.deepEqual(await story(conversation, 2), ['action', 'action', 'error', 'error', 'interrupt', 'agent']);
    },
  ),
  conversationCase(
    'a run has returned and its calls have results when its interruption is acknowledged',
    async ({ make, patiently }) => {
      const { tool, started } = waitingTool({ stubborn: true });
      const { conversation } = await make({ turns: [WAIT, { text: 'Done.' }], tools: [tool] });
      await conversation.sendMessage('Go');
      const running = conversation.run();
      await patiently('the call to start', started);
      await patiently('the interruption', conversation.interrupt());
      assert.equal(conversation.state.executionStatus, 'paused');
      assert.deepEqual(await story(conversation, 2), ['action', 'error', 'interrupt']);
      assert.equal((await patiently('the run to end', running)).status, 'paused');
    },
  ),
  conversationCase(
    'a message that waited for a call is stored when the call is interrupted',
    async ({ make, patiently }) => {
      const { tool, started } = waitingTool();
      const { conversation } = await make({ turns: [WAIT, { text: 'Done.' }], tools: [tool] });
      await conversation.sendMessage('Go');
      const running = conversation.run();
      await patiently('the call to start', started);
      const sent = await conversation.sendMessage('Stop that');
      await patiently('the interruption', conversation.interrupt());
      await running;
      assert.ok(await conversation.events.get(sent.id), 'the message is an event');
      assert.deepEqual(conversation.state.queue, []);
      assert.equal((await conversation.run()).status, 'finished');
    },
  ),
  conversationCase('interrupt without a run does what pause does', async ({ make }) => {
    const { conversation } = await make({ turns: [{ text: 'Done.' }] });
    await conversation.sendMessage('Go');
    await conversation.interrupt();
    assert.equal(conversation.state.executionStatus, 'paused');
    assert.deepEqual(await story(conversation), ['system', 'user', 'pause']);
  }),
  conversationCase('the signal of a run interrupts it', async ({ make, patiently }) => {
    const { tool, started } = waitingTool();
    const { conversation } = await make({ turns: [WAIT, { text: 'Done.' }], tools: [tool] });
    await conversation.sendMessage('Go');
    const controller = new AbortController();
    const running = conversation.run({ signal: controller.signal });
    await patiently('the call to start', started);
    controller.abort();
    assert.equal((await patiently('the run to end', running)).status, 'paused');
    assert.deepEqual(await story(conversation, 2), ['action', 'error', 'interrupt']);
  }),
  conversationCase('a second run during a run rejects BUSY, and the first continues', async ({ make, patiently }) => {
    const { tool, started, release } = waitingTool();
    const { conversation } = await make({ turns: [WAIT, { text: 'Done.' }], tools: [tool] });
    await conversation.sendMessage('Go');
    const running = conversation.run();
    await patiently('the call to start', started);
    await patiently('the refusal', refuses('BUSY', 'the second run', conversation.run()));
    release();
    assert.equal((await patiently('the run to end', running)).status, 'finished');
  }),
  conversationCase(
    'the limit of responses ends a run in an error that the log names, and the next run continues',
    async ({ make }) => {
      const turns = [{ calls: [echo('1')] }, { calls: [echo('2')] }, { text: 'Done.' }];
      const { conversation, modelRequests } = await make({ turns, tools: [echoTool], maxIterations: 2 });
      await conversation.sendMessage('Go');
      const result = await conversation.run();
      assert.equal(modelRequests(), 2);
      const last = await conversation.events.at(-1);
      assert.ok(last && isEvent(last, 'ConversationErrorEvent'));
      const { code, detail } = last;
      assert.equal(code, 'MaxIterationsReached');
      assert.match(detail, /\(2\)/);
      const reason = { code, detail, limit: 'maxIterations', value: 2 };
      assert.deepEqual(result, { status: 'error', iterations: 2, reason });
      assert.equal((await conversation.run()).status, 'finished');
    },
  ),
  conversationCase('a run may be given fewer responses than its conversation allows', async ({ make }) => {
    const turns = [{ calls: [echo('1')] }, { calls: [echo('2')] }, { text: 'Done.' }];
    const { conversation, modelRequests } = await make({ turns, tools: [echoTool] });
    await conversation.sendMessage('Go');
    const { status, reason } = await conversation.run({ maxIterations: 1 });
    assert.deepEqual([status, reason?.limit, reason?.value, modelRequests()], ['error', 'maxIterations', 1, 1]);
    assert.equal(conversation.state.maxIterations, 500);
    assert.equal((await conversation.run()).status, 'finished');
  }),
  conversationCase('an answer with the last response that is allowed is not an error', async ({ make }) => {
    const { conversation } = await make({
      turns: [{ calls: [echo('1')] }, { text: 'Done.' }],
      tools: [echoTool],
      maxIterations: 2,
    });
    await conversation.sendMessage('Go');
    assert.deepEqual(await conversation.run(), { status: 'finished', iterations: 2 });
  }),
  conversationCase(
    'a model that fails rejects RUN_FAILED, the log says why, and the next run continues',
    async ({ make }) => {
      const { conversation } = await make({ turns: [{ error: 'the model is out' }, { text: 'Back.' }] });
      await conversation.sendMessage('Go');
      const error = await refuses('RUN_FAILED', 'run', conversation.run());
      assert.ok(error.message.includes(conversation.id), `"${error.message}" names the conversation`);
      assert.equal(conversation.state.executionStatus, 'error');
      assert.deepEqual(await story(conversation, 2), ['failure']);
      assert.equal((await conversation.run()).status, 'finished');
      assert.deepEqual(await story(conversation, 2), ['failure', 'agent']);
    },
  ),
];
