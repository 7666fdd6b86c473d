import { defineTool, type Tool, type ToolContext, type ToolResult } from '@conv/core/tool';
import { ManualPlatform } from '@conv/testing-harness';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';

import { AskedUser, beginStream, noQuestions, withNotes } from '../../src/mcp/asked-user.ts';
import { CallTime } from '../../src/mcp/call-time.ts';
import type { Asked } from '../../src/mcp/server-questions.ts';

const ACCEPTED = '{"action":"accept","content":{"name":"Ann"}}';
const WITHDRAWN: ToolResult = { content: [{ type: 'text', text: 'withdrawn' }], isError: true };
const never = new AbortController().signal;

type Answer = (toolCallId: string) => string | ToolResult | Promise<string | ToolResult>;

/** A server that may ask, and the ids of the questions that the user was asked. */
function asking(answer: Answer): { readonly user: AskedUser; readonly asked: string[] } {
  const asked: string[] = [];
  const tool: Tool = defineTool({
    name: 'ask_user',
    description: 'Asks the user.',
    input: z.looseObject({ question: z.string() }),
    execute: (_, { toolCallId }) => {
      asked.push(toolCallId);
      return answer(toolCallId);
    },
  });
  return { user: new AskedUser('shop', tool), asked };
}

function context(toolCallId: string, signal: AbortSignal = never): ToolContext {
  return { conversationId: 'c', workingDirectory: '/', toolCallId, signal };
}

function form(properties: object = { name: { type: 'string' } }, message = 'For whom?'): Asked {
  return { message, requestedSchema: { type: 'object', properties } } as Asked;
}

describe('a question of a server with several calls', () => {
  test('a question of an unknown call stands beside the newest call, and beside another when that ends', async () => {
    const platform = new ManualPlatform();
    const withdrawn = Promise.withResolvers<ToolResult>();
    const { user, asked } = asking((id) => (id.startsWith('second') ? withdrawn.promise : ACCEPTED));
    user.begin(context('first'), new CallTime(platform, 1000));
    const second = user.begin(context('second'), new CallTime(platform, 1000));
    const answer = user.ask(form(), never);
    second.end();
    withdrawn.resolve(WITHDRAWN);
    expect(await answer).toEqual({ action: 'accept', content: { name: 'Ann' } });
    expect(asked).toEqual(['second_ask_1', 'first_ask_1']);
  });

  test('a question of an unknown call goes on when the call that it stands beside is stopped', async () => {
    const platform = new ManualPlatform();
    const stop = new AbortController();
    const { user, asked } = asking((id) => {
      if (id.startsWith('first')) return ACCEPTED;
      stop.abort(new Error('its time is up'));
      throw stop.signal.reason;
    });
    user.begin(context('first'), new CallTime(platform, 1000));
    user.begin(context('second', stop.signal), new CallTime(platform, 1000));
    expect(await user.ask(form(), never)).toMatchObject({ action: 'accept' });
    expect(asked).toEqual(['second_ask_1', 'first_ask_1']);
  });

  test('a question of an unknown call stops the time of all calls until it is answered', async () => {
    const platform = new ManualPlatform();
    const answered = Promise.withResolvers<string>();
    const { user } = asking(() => answered.promise);
    const times = [new CallTime(platform, 1000), new CallTime(platform, 1000)];
    times.forEach((time, at) => user.begin(context(`call_${at}`), time));
    const answer = user.ask(form(), never);
    expect(platform.waits).toEqual([]);
    answered.resolve(ACCEPTED);
    await answer;
    expect(platform.waits).toEqual([1000, 1000]);
  });

  test('a question is cancelled when it is withdrawn and no call runs any more', async () => {
    const { user } = asking(() => WITHDRAWN);
    const call = user.begin(context('call'), new CallTime(new ManualPlatform(), 1000));
    expect(await user.ask(form(), never)).toEqual({ action: 'cancel' });
    call.end();
    expect(await user.ask(form(), never)).toEqual({ action: 'cancel' });
  });
});

describe('P12: a question of a server', () => {
  const fields = (count: number): object =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`field_${at}`, { type: 'string' }]));

  test.each([
    ['that is too long', form({}, 'x'.repeat(4001)), 'at most 4000 characters of a question, found 4001'],
    ['with too many fields', form(fields(51)), 'at most 50 fields of a question, found 51'],
    [
      'with too large a schema',
      form({ name: { type: 'string', title: 'x'.repeat(65_536) } }),
      'at most 65536 characters',
    ],
    [
      'with too long an address',
      { mode: 'url', message: 'Pay.', url: `https://a/${'x'.repeat(4000)}` } as Asked,
      'address',
    ],
  ])('P12: a question %s is refused before the user is asked', async (_, question, said) => {
    const { user, asked } = asking(() => ACCEPTED);
    const call = user.begin(context('call'), new CallTime(new ManualPlatform(), 1000));
    await expect(user.askFor(call, question, never)).rejects.toThrow(said);
    expect(asked).toEqual([]);
  });

  test('P12: a question of a server is refused when its call has asked 20 times', async () => {
    const { user, asked } = asking(() => ACCEPTED);
    const call = user.begin(context('call'), new CallTime(new ManualPlatform(), 1000));
    for (let question = 0; question < 20; question += 1) await user.askFor(call, form(), never);
    await expect(user.askFor(call, form(), never)).rejects.toThrow('at most 20 questions of a call, found 21');
    expect(asked).toHaveLength(20);
  });

  test('P12: a question that comes again in the next stream is the same, and two in one stream are two', async () => {
    const { user, asked } = asking(() => new Promise(() => {}));
    const call = user.begin(context('call'), new CallTime(new ManualPlatform(), 1000));
    void user.askFor(call, form(), never);
    for (let stream = 0; stream < 30; stream += 1) {
      beginStream(call);
      void user.askFor(call, form(), never);
    }
    void user.askFor(call, form(), never);
    expect(asked).toEqual([...Array.from({ length: 31 }, () => 'call_ask_1'), 'call_ask_2']);
  });

  test('P12: a question of a server counts with the questions of its call on an earlier connection', async () => {
    const { user, asked } = asking(() => ACCEPTED);
    const count = noQuestions();
    for (let connection = 0; connection < 5; connection += 1) {
      const call = user.begin(context('call'), new CallTime(new ManualPlatform(), 1000), count);
      for (let question = 0; question < 4; question += 1) await user.askFor(call, form(), never);
      call.end();
    }
    const last = user.begin(context('call'), new CallTime(new ManualPlatform(), 1000), count);
    await expect(user.askFor(last, form(), never)).rejects.toThrow('at most 20 questions of a call, found 21');
    expect(asked).toHaveLength(20);
  });
});

test('P9: an answer that held a secret is not sent, and the result of the call says so', async () => {
  const { user } = asking(() => '{"action":"accept","content":{"name":"<secret-hidden>"}}');
  const call = user.begin(context('call'), new CallTime(new ManualPlatform(), 1000));
  expect(await user.askFor(call, form(), never)).toEqual({ action: 'cancel' });
  const { content } = withNotes({ content: [{ type: 'text', text: 'nobody' }] }, call);
  expect(content).toMatchObject([{ text: 'nobody' }, { text: expect.stringContaining('<secret-hidden>') as string }]);
});
