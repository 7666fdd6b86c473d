import { ConversationState, type AnswerDelta } from '@conv/core';
import { agentMessage, drafts, textContent, userMessage, type ActionEvent } from '@conv/core/events';
import { toolCall } from '@conv/testing-harness';
import { readUIMessageStream, type UIMessage, type UIMessageChunk } from 'ai';
import { expect, test } from 'vitest';

import {
  toUIMessages,
  toUIMessageStreamResponse,
  uiMessageChunks,
  type NumberedChunk,
  type UiMessageStreamOptions,
} from '../src/index.ts';

/** A log in memory and what is said of it, as a runtime does it. */
class Followed {
  readonly state: ConversationState = new ConversationState();
  readonly conversation = {
    events: this.state.events,
    state: this.state,
    subscribe: this.state.subscribe.bind(this.state),
  };

  say(text: string, order: number, more: Partial<AnswerDelta> = {}): void {
    const piece = { kind: 'text', text, attempt: 1, eventId: 'answer', order, ...more } as const;
    this.state.subscriptions.tell((cursor) => cursor.give((subscriber) => subscriber.onToken?.(piece)));
  }

  async answer(text: string, id = 'answer'): Promise<void> {
    await this.state.append([{ ...agentMessage({ content: text, llm_response_id: id }), id }]);
  }

  async call(id: string): Promise<ActionEvent> {
    const [event] = await this.state.append([toolCall(id, id)]);
    return event as ActionEvent;
  }

  run(): Promise<void> {
    return this.state.update({ set: { executionStatus: 'running' } });
  }

  chunks(options?: UiMessageStreamOptions): AsyncGenerator<NumberedChunk> {
    return uiMessageChunks(this.conversation, options);
  }
}

/** The message that the published client makes of chunks. */
async function read(chunks: AsyncIterable<NumberedChunk>): Promise<UIMessage | undefined> {
  const stream = ReadableStream.from(onlyChunks(chunks)) as ReadableStream<UIMessageChunk>;
  let last: UIMessage | undefined;
  for await (const next of readUIMessageStream({ stream, terminateOnError: true })) last = next;
  return last;
}

async function* onlyChunks(chunks: AsyncIterable<NumberedChunk>): AsyncGenerator<unknown> {
  for await (const { chunk } of chunks) yield chunk;
}

/** The parts of a message that a person sees. */
function shown(message: { readonly parts: readonly { readonly type: string }[] } | undefined): readonly unknown[] {
  const parts = message?.parts.filter(({ type }) => type !== 'step-start') ?? [];
  return JSON.parse(JSON.stringify(parts)) as readonly unknown[];
}

test('P11: the published client shows text, reasoning, calls and outputs as the history has them', async () => {
  const followed = new Followed();
  await followed.state.append([userMessage('Look it up')]);
  await followed.run();
  const reading = read(followed.chunks());
  followed.say('hm', 0, { kind: 'reasoning', eventId: 'thought' });
  followed.say('I look', 1, { eventId: 'thought' });
  const thought = { thought: [textContent('I look.')], reasoning_content: 'hm' };
  const [call] = (await followed.state.append([{ ...toolCall('a', 'a'), ...thought, id: 'thought' }])) as [ActionEvent];
  const result = { kind: 'MCPToolObservation', tool_name: 'lookup', content: [textContent('found')] };
  await followed.state.append([drafts.observation(call, result)]);
  followed.say('Wrong', 0);
  followed.say('Right', 0, { attempt: 2 });
  await followed.answer('Right.');
  const message = await reading;
  const history = await toUIMessages(followed.conversation);
  expect(history.map(({ role }) => role)).toEqual(['user', 'assistant']);
  expect(message?.id).toBe(history.at(-1)?.id);
  expect(shown(message)).toEqual(shown(history.at(-1)));
  expect(shown(message)).toMatchObject([
    { type: 'reasoning', text: 'hm' },
    { type: 'text', text: 'I look.' },
    { type: 'dynamic-tool', toolName: 'lookup', state: 'output-available', output: 'found' },
    { type: 'text', text: 'Right.' },
  ]);
});

test('P10: a call that waits asks for approval, and a rejected one is denied, as the history has them', async () => {
  const followed = new Followed();
  await followed.state.append([userMessage('Go')]);
  const call = await followed.call('a');
  const waiting = await read(followed.chunks());
  expect(shown(waiting)).toMatchObject([{ state: 'approval-requested', approval: { id: call.id } }]);
  expect(shown(waiting)).toEqual(shown((await toUIMessages(followed.conversation)).at(-1)));
  await followed.state.append([drafts.userReject(call, 'no')]);
  const denied = await read(followed.chunks());
  expect(shown(denied)).toEqual(shown((await toUIMessages(followed.conversation)).at(-1)));
  expect(shown(denied)).toMatchObject([{ state: 'output-denied', approval: { approved: false, reason: 'no' } }]);
});

test('P11: a client that is cut off after any chunk and comes back with its cursor shows the history', async () => {
  const followed = new Followed();
  await followed.state.append([userMessage('Go')]);
  const call = await followed.call('a');
  await followed.state.append([drafts.agentError(call, 'broken')]);
  await followed.answer('One.', 'one');
  await followed.answer('Two.', 'two');
  const all = await Array.fromAsync(followed.chunks());
  const [, answered] = await toUIMessages(followed.conversation);
  expect(all.length).toBeGreaterThan(12);
  for (let cut = 1; cut < all.length; cut++) {
    const before = all.slice(0, cut);
    const rest = await Array.fromAsync(followed.chunks({ after: before.at(-1)?.cursor ?? -1 }));
    // what a client does that lost its connection within a step
    const isOpen = before.findLast(({ chunk }) => chunk.type.endsWith('-step'))?.chunk.type === 'start-step';
    const reset: readonly NumberedChunk[] = isOpen ? [{ chunk: { type: 'reset-step' }, cursor: 0 }] : [];
    const resumed = await read(ReadableStream.from([...before, ...reset, ...rest]));
    expect([cut, shown(resumed)]).toEqual([cut, shown(answered)]);
  }
});

test('a client that leaves a stream unread leaves no subscription', async () => {
  const followed = new Followed();
  await followed.state.append([userMessage('Go')]);
  await followed.call('a');
  await followed.answer('One.');
  const reader = toUIMessageStreamResponse(followed.conversation).body?.getReader();
  for (let read = 0; read < 3; read++) await reader?.read();
  const subscriptions = (): number => {
    let count = 0;
    followed.state.subscriptions.tell(() => (count += 1));
    return count;
  };
  expect(subscriptions()).toBe(1);
  await reader?.cancel();
  expect(subscriptions()).toBe(0);
});

test('a finish call is told as the answer that it gives', async () => {
  const followed = new Followed();
  await followed.state.append([userMessage('Go')]);
  const tool_call = { id: 'f', name: 'finish', arguments: '{}', origin: 'completion' } as const;
  const finish = {
    ...toolCall('f', 'f'),
    action: { kind: 'FinishAction', message: 'Done.' },
    tool_call,
    tool_name: 'finish',
  };
  const [call] = (await followed.state.append([finish as ReturnType<typeof toolCall>])) as [ActionEvent];
  await followed.state.append([drafts.observation(call, { kind: 'FinishObservation' })]);
  expect(shown(await read(followed.chunks()))).toMatchObject([{ type: 'text', text: 'Done.' }]);
});
