import assert from 'node:assert/strict';

import type { Event } from '@conv/core/events';
import { toEventIndex } from '@conv/core/store';
import { conversationCase, type ConversationConformanceCase } from './conversation-under-test.ts';
import { echo, echoTool } from './echo-tool.ts';
import { plainState, refuses, shortKind, story } from './expect-conversation.ts';
import { waitingTool } from './waiting-tool.ts';

const ECHO = { calls: [echo('a')] };

/** Cases about subscribers, side questions and closing. */
export const followingCases: readonly ConversationConformanceCase[] = [
  conversationCase(
    'P1: a subscriber from 0 is given every event once, in order, with its number',
    async ({ make, patiently }) => {
      const { conversation } = await make({ turns: [ECHO, { text: 'Done.' }], tools: [echoTool] });
      await conversation.sendMessage('Go');
      const seen: [number, Event][] = [];
      const subscription = conversation.subscribe(
        { onEvent: (event, index) => void seen.push([index, event]) },
        { from: toEventIndex(0) },
      );
      await conversation.run();
      await patiently('the subscriber', subscription.caughtUp(toEventIndex(conversation.events.length)));
      assert.deepEqual(
        seen,
        (await conversation.events.slice()).map((event, index) => [index, event]),
      );
    },
  ),
  conversationCase(
    'a subscriber gets new events by default, and a run ends after its last event was delivered',
    async ({ make }) => {
      const { conversation } = await make({ turns: [{ text: 'Done.' }] });
      await conversation.sendMessage('Go');
      const seen: string[] = [];
      conversation.subscribe((event) => void seen.push(shortKind(event)));
      await conversation.run();
      assert.deepEqual(seen, ['agent']);
    },
  ),
  conversationCase(
    'P1: a throwing and a slow subscriber change nothing for the other subscribers',
    async ({ make, patiently }) => {
      const { conversation } = await make({ turns: [ECHO, { text: 'Done.' }], tools: [echoTool] });
      const errors: unknown[] = [];
      const [seen, afterThrowing]: [string[], string[]] = [[], []];
      const never = Promise.withResolvers<void>();
      conversation.subscribe({ onEvent: () => never.promise });
      conversation.subscribe({
        onEvent: (event) => {
          afterThrowing.push(shortKind(event));
          throw new Error('thrown by a subscriber');
        },
        onError: (error) => void errors.push(error),
      });
      const subscription = conversation.subscribe((event) => void seen.push(shortKind(event)));
      await conversation.sendMessage('Go');
      assert.equal((await patiently('the run to end', conversation.run())).status, 'finished');
      await patiently('the subscriber', subscription.caughtUp(toEventIndex(conversation.events.length)));
      const everything = ['system', 'user', 'action', 'result', 'agent'];
      assert.deepEqual([seen, afterThrowing], [everything, everything]);
      assert.equal(errors.length, everything.length);
      never.resolve();
    },
  ),
  conversationCase(
    'a subscriber may begin at any event, and is told the numbers of the log',
    async ({ make, patiently }) => {
      const { conversation } = await make({ turns: [ECHO, { text: 'Done.' }], tools: [echoTool] });
      await conversation.sendMessage('Go');
      await conversation.run();
      const { length } = conversation.events;
      for (let from = 0; from <= length; from++) {
        const numbers: number[] = [];
        const onEvent = (_: Event, index: number): void => void numbers.push(index);
        const subscription = conversation.subscribe({ onEvent }, { from: toEventIndex(from) });
        await patiently('the subscriber', subscription.caughtUp(toEventIndex(length)));
        subscription.unsubscribe();
        assert.deepEqual(
          numbers,
          Array.from({ length: length - from }, (_, nth) => from + nth),
        );
      }
    },
  ),
  conversationCase(
    'a subscriber has caught up when it has taken the last event, not before',
    async ({ make, patiently }) => {
      const { conversation } = await make({ turns: [ECHO, { text: 'Done.' }], tools: [echoTool] });
      await conversation.sendMessage('Go');
      await conversation.run();
      const { length } = conversation.events;
      const free = Promise.withResolvers<void>();
      let taken = 0;
      const onEvent = async (): Promise<void> => {
        await free.promise;
        taken++;
      };
      const subscription = conversation.subscribe({ onEvent }, { from: toEventIndex(0) });
      const caughtUp = subscription.caughtUp(toEventIndex(length)).then(() => taken);
      free.resolve();
      assert.equal(await patiently('the subscriber', caughtUp), length);
    },
  ),
  conversationCase('a subscriber may send a message and pause from inside', async ({ make, patiently }) => {
    const { conversation } = await make({ turns: [{ text: 'One.' }, { text: 'Two.' }] });
    let sent = false;
    conversation.subscribe(async (event) => {
      if (shortKind(event) !== 'agent' || sent) return;
      sent = true;
      await conversation.sendMessage('And?');
    });
    await conversation.sendMessage('Go');
    await patiently('the run to end', conversation.run());
    await patiently('the second run to end', conversation.run());
    assert.deepEqual(await story(conversation), ['system', 'user', 'agent', 'user', 'agent']);
  }),
  conversationCase('a subscriber that has unsubscribed gets nothing more', async ({ make }) => {
    const { conversation } = await make({ turns: [{ text: 'Done.' }] });
    const seen: string[] = [];
    const controller = new AbortController();
    conversation.subscribe((event) => void seen.push(shortKind(event)), { signal: controller.signal });
    const other = conversation.subscribe((event) => void seen.push(shortKind(event)));
    controller.abort();
    other.unsubscribe();
    await conversation.sendMessage('Go');
    await conversation.run();
    assert.deepEqual(seen, []);
  }),
  conversationCase('subscribers get changes of the state, and always the last one', async ({ make, patiently }) => {
    const { conversation } = await make({ turns: [{ text: 'Done.' }] });
    const done = Promise.withResolvers<void>();
    conversation.subscribe({
      onStateChange: (state) => {
        if (state.executionStatus === 'finished') done.resolve();
      },
    });
    await conversation.sendMessage('Go');
    await conversation.run();
    await patiently('the last change of state', done.promise);
  }),
  conversationCase('P8: a side question changes nothing and says what it cost', async ({ make }) => {
    const { conversation, modelRequests } = await make({ turns: [{ text: 'Done.' }, { text: 'An aside.' }] });
    await conversation.sendMessage('Go');
    await conversation.run();
    const [before, events] = [plainState(conversation.state), await conversation.events.slice()];
    const { text, record } = await conversation.askAgent('What did you do?');
    assert.equal(text, 'An aside.');
    assert.equal(record.kind, 'model_call');
    assert.equal(modelRequests(), 2);
    assert.deepEqual(plainState(conversation.state), before);
    assert.deepEqual(await conversation.events.slice(), events);
  }),
  conversationCase(
    'P8: a side question during a call is answered, and the run continues',
    async ({ make, patiently }) => {
      const { tool, started, release } = waitingTool();
      const turns = [{ calls: [{ name: 'wait', arguments: {} }] }, { text: 'An aside.' }, { text: 'Done.' }];
      const { conversation } = await make({ turns, tools: [tool] });
      await conversation.sendMessage('Go');
      const running = conversation.run();
      await patiently('the call to start', started);
      assert.equal((await patiently('the answer', conversation.askAgent('What are you doing?'))).text, 'An aside.');
      release();
      assert.equal((await patiently('the run to end', running)).status, 'finished');
      assert.deepEqual(await story(conversation, 2), ['action', 'result', 'agent']);
    },
  ),
  conversationCase(
    'closing twice has the effect of closing once, and later commands reject CLOSED',
    async ({ make }) => {
      const { conversation } = await make({ turns: [] });
      await conversation.sendMessage('Go');
      await assert.doesNotReject(Promise.all([conversation.close(), conversation.close()]));
      await assert.doesNotReject(conversation.close());
      await refuses('CLOSED', 'sendMessage', conversation.sendMessage('late'));
      await refuses('CLOSED', 'run', conversation.run());
      await refuses('CLOSED', 'pause', conversation.pause());
      await refuses('CLOSED', 'reject', conversation.reject());
      await refuses('CLOSED', 'setTitle', conversation.settings.setTitle('late'));
      await refuses('CLOSED', 'askAgent', conversation.askAgent('late?'));
    },
  ),
  conversationCase(
    'closing during a run ends it with a result for every call',
    async ({ make, patiently }) => {
      const { tool, started } = waitingTool();
      const turns = [{ calls: [{ name: 'wait', arguments: {} }] }, { text: 'Done.' }];
      const under = await make({ turns, tools: [tool] });
      await under.conversation.sendMessage('Go');
      const running = under.conversation.run().catch(() => {});
      await patiently('the call to start', started);
      const conversation = await patiently('the conversation to be open again', under.reopen());
      await patiently('the run to end', running);
      assert.deepEqual(await story(conversation, 2), ['action', 'error', 'interrupt']);
      assert.equal((await conversation.run()).status, 'finished');
    },
    ({ keepsRuns }) => keepsRuns !== true,
  ),
];
