import assert from 'node:assert/strict';

import type { Conversation } from '@conv/core';
import { type ActionEvent, isEvent, isText } from '@conv/core/events';
import type { ClientToolInput } from '@conv/core/tool';
import { casesWhen } from '../conformance-case.ts';
import {
  conversationCase,
  type ConversationBench,
  type ConversationConformanceCase,
} from './conversation-under-test.ts';
import { refuses, story } from './expect-conversation.ts';
import type { ScriptedCall } from './model-script.ts';

const ask: ClientToolInput = {
  name: 'ask',
  description: 'Asks somebody.',
  parameters: { type: 'object', properties: { question: { type: 'string' } }, required: ['question'] },
};
const askCaller: ClientToolInput = { ...ask, answers: 'caller' };

function asks(question: string): ScriptedCall {
  return { name: 'ask', arguments: { question } };
}

const clientToolCase = casesWhen(conversationCase, ({ clientTools }) => clientTools === true);
const answerCase = casesWhen(clientToolCase, ({ answerCall }) => answerCall === true);

/** Tools that the caller of a conversation declares and executes. */
export const clientToolCases: readonly ConversationConformanceCase[] = [
  clientToolCase('the call of a client tool is an event with its arguments, acknowledged at once', async (bench) => {
    const { conversation, read } = await made(bench, [ask]);
    await bench.patiently('the run to end', conversation.run());
    assert.deepEqual(await story(conversation, 2), ['action', 'result', 'agent']);
    const [action] = await actionsOf(conversation);
    assert.deepEqual(action?.action, { question: 'why?', kind: 'ClientAction_ask' });
    assert.deepEqual(await resultOf(conversation), {
      kind: 'ClientToolObservation',
      isError: false,
      texts: ['Tool call dispatched to client.'],
    });
    assert.deepEqual(read, ['Tool call dispatched to client.']);
  }),
  clientToolCase('P13: the model is told of arguments that do not fit, and the client is not asked', async (bench) => {
    const calls = [{ name: 'ask', arguments: { reason: 'why?' } }];
    const { conversation } = await bench.make({ turns: [{ calls }, { text: 'Sorry.' }], clientTools: [ask] });
    await conversation.sendMessage('Go');
    await bench.patiently('the run to end', conversation.run());
    assert.deepEqual(await story(conversation, 2), ['action', 'error', 'agent']);
  }),
  clientToolCase('client tools survive reopening', async (bench) => {
    const { reopen, read } = await made(bench, [ask]);
    const conversation = await reopen();
    const { name, description, parameters } = ask;
    assert.deepEqual(conversation.state.clientTools, [{ name, description, parameters }]);
    await bench.patiently('the run to end', conversation.run());
    assert.deepEqual(read, ['Tool call dispatched to client.']);
  }),
  clientToolCase(
    'forks have the client tools of their source',
    async (bench) => {
      const { conversation, open, read } = await made(bench, [ask]);
      const fork = await open(await conversation.history.fork());
      assert.deepEqual(fork.state.clientTools, conversation.state.clientTools);
      await bench.patiently('the run to end', fork.run());
      assert.deepEqual(read, ['Tool call dispatched to client.']);
    },
    ({ fork }) => fork,
  ),
  clientToolCase(
    'P13: two client tools with one name, or one with the name of another tool, are refused',
    async (bench) => {
      const turns = [{ text: 'Hi.' }];
      await refuses('INVALID_INPUT', 'a doubled name', bench.make({ turns, clientTools: [ask, ask] }));
      await refuses(
        'INVALID_INPUT',
        'a name of the agent',
        bench.make({ turns, clientTools: [{ ...ask, name: 'finish' }] }),
      );
    },
  ),
  clientToolCase('P10: client tools with the names of built-in tools are refused by name', async (bench) => {
    for (const name of ['finish', 'think']) {
      const made = bench.make({ turns: [{ text: 'Hi.' }], clientTools: [{ ...ask, name }] });
      await refuses('INVALID_INPUT', `a client tool named ${name}`, made);
    }
  }),
  clientToolCase('P13: client tools of more than 256 KiB are refused with the limit', async (bench) => {
    const clientTools = [{ ...ask, description: 'x'.repeat(256 * 1024) }];
    const made = bench.make({ turns: [{ text: 'Hi.' }], clientTools });
    const { message } = await refuses('INVALID_INPUT', 'too much text', made);
    assert.match(message, /at most 262144 bytes .* found 262\d{3}; shorten descriptions and parameters/);
  }),
  answerCase('a call stays open until its caller answers it, and the model reads the answer', async (bench) => {
    const { conversation, read } = await made(bench, [askCaller]);
    const started = whenStarted(conversation);
    const running = conversation.run();
    const action = await bench.patiently('the call to start', started);
    assert.equal(conversation.state.executionStatus, 'running');
    assert.deepEqual(await story(conversation, 2), ['action']);
    await bench.patiently('the answer to be stored', conversation.answerCall(action, { content: 'because' }));
    assert.deepEqual(await resultOf(conversation), {
      kind: 'ClientToolObservation',
      isError: false,
      texts: ['because'],
    });
    assert.equal((await bench.patiently('the run to end', running)).status, 'finished');
    assert.deepEqual(read, ['because']);
  }),
  answerCase('a caller may answer that it failed', async (bench) => {
    const { conversation } = await made(bench, [askCaller]);
    const started = whenStarted(conversation);
    const running = conversation.run();
    const action = await bench.patiently('the call to start', started);
    const content = [{ cache_prompt: false, type: 'text', text: 'nobody is here' }] as const;
    await conversation.answerCall(action, { content, isError: true });
    await bench.patiently('the run to end', running);
    const { isError, texts } = await resultOf(conversation);
    assert.deepEqual([isError, texts], [true, ['nobody is here']]);
  }),
  answerCase('a call takes one answer, and a call that does not wait takes none', async (bench) => {
    const { conversation } = await made(bench, [askCaller]);
    const started = whenStarted(conversation);
    const running = conversation.run();
    const action = await bench.patiently('the call to start', started);
    await refuses('UNKNOWN_ACTION', 'an answer to no call', conversation.answerCall('nothing', { content: '' }));
    await refuses('INVALID_INPUT', 'no content', conversation.answerCall(action, { content: 7 as never }));
    const [first, second] = ['one', 'two'].map((content) => conversation.answerCall(action, { content }));
    await refuses('UNKNOWN_ACTION', 'a second answer', second as Promise<void>);
    await first;
    await bench.patiently('the run to end', running);
    assert.deepEqual((await resultOf(conversation)).texts, ['one']);
    await refuses('UNKNOWN_ACTION', 'an answer afterwards', conversation.answerCall(action, { content: 'late' }));
  }),
  answerCase('P7: an interruption ends a call that waits for its answer, which then comes too late', async (bench) => {
    const { conversation } = await made(bench, [askCaller]);
    const started = whenStarted(conversation);
    const running = conversation.run();
    const action = await bench.patiently('the call to start', started);
    await bench.patiently('the interruption', conversation.interrupt());
    assert.equal((await running).status, 'paused');
    assert.deepEqual((await story(conversation, 2)).slice(0, 2), ['action', 'error']);
    await refuses('UNKNOWN_ACTION', 'a late answer', conversation.answerCall(action, { content: 'late' }));
  }),
  answerCase(
    'P5: a call that waited when its process died has an unknown outcome, and no answer any more',
    async (bench) => {
      const { conversation, kill } = await made(bench, [askCaller]);
      assert.ok(kill, 'the harness can kill');
      const started = whenStarted(conversation);
      conversation.run().catch(() => {});
      const action = await bench.patiently('the call to start', started);
      const again = await kill();
      assert.deepEqual((await story(again, 2)).slice(0, 2), ['action', 'error']);
      await refuses('UNKNOWN_ACTION', 'a late answer', again.answerCall(action, { content: 'late' }));
    },
    ({ kill }) => kill,
  ),
  answerCase('a call that waits for approval cannot be answered before it is approved', async (bench) => {
    const { conversation } = await made(bench, [askCaller], { confirmationPolicy: { kind: 'AlwaysConfirm' } });
    assert.equal((await conversation.run()).status, 'waiting_for_confirmation');
    const [waiting] = await actionsOf(conversation);
    assert.ok(waiting);
    await refuses('UNKNOWN_ACTION', 'an early answer', conversation.answerCall(waiting.id, { content: 'early' }));
    await conversation.approve([waiting.id]);
    const started = whenStarted(conversation);
    const running = conversation.run();
    const action = await bench.patiently('the call to start', started);
    await conversation.answerCall(action, { content: 'now' });
    assert.equal((await bench.patiently('the run to end', running)).status, 'finished');
  }),
];

/** A conversation whose model asks `why?` and is done then, with the results that it reads. */
async function made(
  bench: ConversationBench,
  clientTools: readonly ClientToolInput[],
  more: Partial<Parameters<ConversationBench['make']>[0]> = {},
): Promise<Awaited<ReturnType<ConversationBench['make']>> & { readonly read: readonly string[] }> {
  const read: string[] = [];
  const reads = (_: readonly string[], results: readonly string[]): void => void read.push(...results);
  const turns = [{ calls: [asks('why?')] }, { text: 'I see.', reads }];
  const under = await bench.make({ turns, clientTools, ...more });
  await under.conversation.sendMessage('Go');
  return { ...under, read };
}

/** Resolves with the action of the first call that starts from now on. */
function whenStarted(conversation: Conversation): Promise<string> {
  return new Promise((resolve) => {
    const subscription = conversation.subscribe({
      onStateChange: ({ calls }) => {
        const [started] = Object.entries(calls).find(([, phase]) => phase === 'started') ?? [];
        if (started === undefined) return;
        subscription.unsubscribe();
        resolve(started);
      },
    });
  });
}

async function actionsOf(conversation: Conversation): Promise<readonly ActionEvent[]> {
  return (await conversation.events.slice()).filter((event) => isEvent(event, 'ActionEvent'));
}

async function resultOf(
  conversation: Conversation,
): Promise<{ readonly kind: string; readonly isError: boolean; readonly texts: readonly string[] }> {
  const results = (await conversation.events.slice()).filter((event) => isEvent(event, 'ObservationEvent'));
  const { kind, is_error: isError = false, content = [] } = results.at(-1)?.observation ?? assert.fail('no result');
  return { kind, isError, texts: content.filter(isText).map(({ text }) => text) };
}
