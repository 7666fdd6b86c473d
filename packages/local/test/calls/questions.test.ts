import { ModelScript, ScriptedAgent, type ModelTurn } from '@conv/conformance';
import { isEvent, isText, type ActionEvent, type Event } from '@conv/core/events';
import type { JsonObject, Tool } from '@conv/core/tool';
import { askUser } from '@conv/openhands/client-tools';
import { KillableStore } from '@conv/testing-harness';
import { describe, expect, test } from 'vitest';

import type { LocalConversation, LocalConversationOptions } from '../../src/index.ts';
import { open, story } from '../support/bench.ts';
import { plainTool } from '../support/plain-tool.ts';

const INVALID = { code: 'INVALID_INPUT' };
const FIELDS = {
  type: 'object',
  properties: { name: { type: 'string' }, size: { type: 'integer', minimum: 1 } },
  required: ['name'],
};

const asks = (input: JsonObject): ModelTurn => ({ calls: [{ name: 'ask_user', arguments: input }] });
const DONE = { text: 'I see.' };

/** A tool that asks the user in the middle of its call, as an MCP server does, each question with the same number. */
function asking(...inputs: readonly JsonObject[]): Tool {
  return plainTool('order', async (context) => {
    const tool = context.ownTools?.find(({ name }) => name === 'ask_user');
    const heard: string[] = [];
    for (const input of inputs) {
      const result = await tool?.execute(input, { ...context, toolCallId: `${context.toolCallId}_ask_1` });
      heard.push(...(result?.content ?? []).filter(isText).map((part) => part.text));
    }
    return `heard ${heard.join(' and ')}`;
  });
}

interface Stage {
  readonly conversation: LocalConversation;
  readonly store: KillableStore;
  readonly running: Promise<{ readonly status: string }>;
  readonly question: ActionEvent;
}

function made(
  turns: readonly ModelTurn[],
  store: KillableStore,
  options: LocalConversationOptions = {},
  tools: readonly Tool[] = [],
): Promise<LocalConversation> {
  const agent = new ScriptedAgent({ script: new ModelScript(turns), tools });
  return open(store, { agent, clientTools: [askUser], ...options });
}

/** A conversation whose run waits for the user. */
async function waiting(
  turns: readonly ModelTurn[],
  tools: readonly Tool[] = [],
  options: LocalConversationOptions = {},
): Promise<Stage> {
  const store = new KillableStore();
  const conversation = await made(turns, store, options, tools);
  await conversation.sendMessage('go');
  const asked = questionIn(conversation);
  const running = conversation.run();
  running.catch(() => {});
  return { conversation, store, running, question: await asked };
}

/** Ends the process and opens the conversation in another one. */
async function reopened(
  { conversation, store }: Pick<Stage, 'conversation' | 'store'>,
  turns: readonly ModelTurn[],
  options: LocalConversationOptions = {},
  tools: readonly Tool[] = [],
): Promise<LocalConversation> {
  await store.kill();
  return made(turns, store, { id: conversation.id, interruptedRun: 'resume', ...options }, tools);
}

function questionIn(conversation: LocalConversation): Promise<ActionEvent> {
  return new Promise((resolve) => {
    const subscription = conversation.subscribe((event) => {
      if (!isEvent(event, 'ActionEvent') || event.tool_name !== 'ask_user') return;
      subscription.unsubscribe();
      resolve(event);
    });
  });
}

async function results(conversation: LocalConversation): Promise<readonly string[]> {
  return (await conversation.events.slice()).flatMap((event) => resultText(event) ?? []);
}

function resultText(event: Event): string | undefined {
  if (isEvent(event, 'AgentErrorEvent')) return `error: ${event.error}`;
  if (!isEvent(event, 'ObservationEvent')) return undefined;
  // an MCP tool has a part with its name first
  const content = event.observation.content?.slice(event.tool_name === 'order' ? 1 : 0) ?? [];
  return content
    .filter(isText)
    .map((part) => part.text)
    .join('');
}

describe('a question of the model', () => {
  test('a question of the model waits until the user answers it', async () => {
    const { conversation, running, question } = await waiting([asks({ question: 'Which?' }), DONE]);
    expect(conversation.state.executionStatus).toBe('running');
    await conversation.answerCall(question.id, { content: 'The red one.' });
    expect((await running).status).toBe('finished');
    expect(await results(conversation)).toEqual(['The red one.']);
    await expect(conversation.answerCall(question.id, { content: 'No.' })).rejects.toMatchObject({
      code: 'UNKNOWN_ACTION',
    });
  });

  test('P13: a question of the model accepts only one of its choices if it says so', async () => {
    const input = { question: 'Which?', choices: ['red', 'blue'], free_text: false };
    const { conversation, running, question } = await waiting([asks(input), DONE]);
    await expect(conversation.answerCall(question.id, { content: 'green' })).rejects.toMatchObject({
      ...INVALID,
      message: expect.stringContaining('answer: expected one of "red", "blue", found "green"') as string,
    });
    await conversation.answerCall(question.id, { content: 'blue' });
    await running;
    expect(await results(conversation)).toEqual(['blue']);
  });

  test('a message answers a question of the model and follows it', async () => {
    const { conversation, running } = await waiting([asks({ question: 'Which?' }), DONE]);
    await conversation.sendMessage('Take the red one.');
    expect((await running).status).toBe('finished');
    expect(await results(conversation)).toEqual(['The user answered with a message, which follows.']);
    expect(await story(conversation)).toBe('system user action result user agent');
  });

  test('the model reads the reason when its question is declined', async () => {
    const { conversation, running, question } = await waiting([asks({ question: 'Which?' }), DONE]);
    await conversation.answerCall(question.id, { content: 'not my business', isError: true });
    await running;
    expect(await results(conversation)).toEqual(['Declined: not my business']);
  });

  test('P10: a question of the model needs no approval, and other calls of its response wait as usual', async () => {
    const options = { confirmationPolicy: { kind: 'AlwaysConfirm' } } as const;
    const alone = await waiting([asks({ question: 'Which?' }), DONE], [], options);
    await alone.conversation.answerCall(alone.question.id, { content: 'The red one.' });
    expect((await alone.running).status).toBe('finished');
    const order = { name: 'order', arguments: {} };
    const both = { calls: [{ name: 'ask_user', arguments: { question: 'Which?' } }, order] };
    const mixed = await waiting([both], [asking({ question: 'For whom?' })], options);
    expect((await mixed.running).status).toBe('waiting_for_confirmation');
    expect(mixed.conversation.state.calls).toEqual({});
  });

  test('an interrupted run withdraws the question of its model', async () => {
    const { conversation, running } = await waiting([asks({ question: 'Which?' })]);
    await conversation.interrupt();
    await running;
    expect(await results(conversation)).toEqual(['error: The question was withdrawn before the user answered it.']);
  });
});

describe('P5: a question and the end of the process', () => {
  test('P5: the resumed run waits for its question, and goes on with the answer', async () => {
    const before = await waiting([asks({ question: 'Which?' })]);
    const conversation = await reopened(before, [DONE]);
    expect(conversation.state.calls).toEqual({ [before.question.id]: 'started' });
    const running = conversation.resumeRun();
    await conversation.answerCall(before.question.id, { content: 'The red one.' });
    expect((await running).status).toBe('finished');
    expect(await results(conversation)).toEqual(['The red one.']);
  });

  test('P5: a question is answered before the run is resumed', async () => {
    const before = await waiting([asks({ question: 'Which?' })]);
    const conversation = await reopened(before, [DONE]);
    await conversation.answerCall(before.question.id, { content: 'The red one.' });
    expect((await conversation.resumeRun()).status).toBe('finished');
    expect(await results(conversation)).toEqual(['The red one.']);
  });

  test('P5: a question stays open where the run is paused, and the next run waits for it', async () => {
    const before = await waiting([asks({ question: 'Which?' })]);
    const conversation = await reopened(before, [DONE], { interruptedRun: 'pause' });
    expect(conversation.state.executionStatus).toBe('paused');
    const running = conversation.run();
    await conversation.answerCall(before.question.id, { content: 'The red one.' });
    expect((await running).status).toBe('finished');
  });

  test('P5: a message to the paused conversation answers the question', async () => {
    const before = await waiting([asks({ question: 'Which?' })]);
    const conversation = await reopened(before, [DONE], { interruptedRun: 'pause' });
    await conversation.sendMessage('The red one.');
    expect((await conversation.run()).status).toBe('finished');
    expect(await story(conversation)).toBe('system user action pause result user agent');
  });

  test('P5: a question stays open in a fork of the paused conversation', async () => {
    const before = await waiting([asks({ question: 'Which?' })]);
    const conversation = await reopened(before, [DONE], { interruptedRun: 'pause' });
    const fork = await conversation.fork();
    expect(fork.state.calls).toEqual({ [before.question.id]: 'started' });
    await fork.answerCall(before.question.id, { content: 'The red one.' });
    expect((await fork.run()).status).toBe('finished');
    expect(await results(fork)).toEqual(['The red one.']);
    expect(await results(conversation)).toEqual([]);
  });

  test('a run that waits is resumed any number of times', async () => {
    const before = await waiting([asks({ question: 'Which?' })]);
    let { conversation } = before;
    for (let life = 0; life < 8; life += 1) {
      conversation = await reopened({ ...before, conversation }, [DONE]);
      const status = conversation.resumeRun();
      status.catch(() => {});
      await conversation.state.transaction(() => undefined);
    }
    await conversation.answerCall(before.question.id, { content: 'The red one.' });
    expect(await results(conversation)).toEqual(['The red one.']);
  });
});

describe('a question of a tool', () => {
  const order = { calls: [{ name: 'order', arguments: {} }] };
  const input = { question: 'For whom?', fields: FIELDS, from: 'shop' };

  test('a question of a tool is a call beside the call that asks, and its answer reaches the tool', async () => {
    const { conversation, running, question } = await waiting([order, DONE], [asking(input)]);
    expect(question.tool_call.arguments).toBe(JSON.stringify(input));
    await conversation.answerCall(question.id, { content: '{"name":"Ann","size":2}' });
    expect((await running).status).toBe('finished');
    const answer = '{"action":"accept","content":{"name":"Ann","size":2}}';
    expect(await results(conversation)).toEqual([answer, `heard ${answer}`]);
  });

  test('P5: a question does not get the answer to a question with its number in an earlier process', async () => {
    const other = { ...input, question: 'By when?' };
    const { conversation, running, question } = await waiting([order, DONE], [asking(input, input, other)]);
    const asked = questionIn(conversation);
    await conversation.answerCall(question.id, { content: '{"name":"Ann"}' });
    const second = await asked;
    expect(second.tool_call.arguments).toBe(JSON.stringify(other));
    expect(second.tool_call_id).toBe(question.tool_call_id.replace('_ask_1', '_ask_2'));
    await conversation.answerCall(second.id, { content: '{"name":"Bob"}' });
    await running;
    const [ann, bob] = ['Ann', 'Bob'].map((name) => `{"action":"accept","content":{"name":"${name}"}}`);
    expect(await results(conversation)).toEqual([ann, bob, `heard ${ann} and ${ann} and ${bob}`]);
  });

  test('a question of a tool is asked again by a later call with the same id of the model', async () => {
    const script = new ModelScript([order, order, DONE]);
    const agent = new ScriptedAgent({ script, tools: [asking(input)], platform: { id: () => 'call' } });
    const conversation = await open(new KillableStore(), { agent, clientTools: [askUser] });
    await conversation.sendMessage('go');
    let asked = questionIn(conversation);
    const running = conversation.run();
    for (const name of ['Ann', 'Bob']) {
      const { id } = await asked;
      asked = questionIn(conversation);
      await conversation.answerCall(id, { content: JSON.stringify({ name }) });
    }
    expect((await running).status).toBe('finished');
    expect((await results(conversation)).at(-1)).toContain('"Bob"');
  });

  test("a question of a tool has the id of its call without the provider's signature", async () => {
    const script = new ModelScript([order, DONE]);
    const ids = ['call__thought__sig+/='];
    const agent = new ScriptedAgent({ script, tools: [asking(input)], platform: { id: () => ids.shift() ?? 'c' } });
    const conversation = await open(new KillableStore(), { agent, clientTools: [askUser] });
    await conversation.sendMessage('go');
    const asked = questionIn(conversation);
    const running = conversation.run();
    const question = await asked;
    const call = conversation.state.pendingActions.find(({ tool_name: name }) => name === 'order');
    expect([call?.tool_call_id, question.tool_call_id]).toEqual([expect.stringContaining('__thought__'), 'call_ask_1']);
    expect(question.tool_call).not.toHaveProperty('responses_item_id');
    await conversation.answerCall(question.id, { content: '{"name":"Ann"}' });
    expect((await running).status).toBe('finished');
  });

  test.each([
    ['{"size":2}', 'name'],
    ['{"name":"Ann","size":0}', 'size'],
    ['Ann', 'name, size'],
  ])(
    'P13: a question of a tool refuses the answer %s, naming the field, and goes on waiting',
    async (content, name) => {
      const { conversation, running, question } = await waiting([order, DONE], [asking(input)]);
      await expect(conversation.answerCall(question.id, { content })).rejects.toMatchObject({
        ...INVALID,
        message: expect.stringContaining(name) as string,
      });
      await conversation.answerCall(question.id, { content: 'cancel' });
      await running;
      expect((await results(conversation)).at(-1)).toBe('heard {"action":"cancel"}');
    },
  );

  test('a failed answer declines a question of a tool, and a message cancels it', async () => {
    const first = await waiting([order, DONE], [asking(input)]);
    await first.conversation.answerCall(first.question.id, { content: '', isError: true });
    await first.running;
    expect((await results(first.conversation)).at(-1)).toBe('heard {"action":"decline"}');
    const second = await waiting([order, DONE], [asking(input)]);
    await second.conversation.sendMessage('Stop that.');
    await second.running;
    expect((await results(second.conversation)).at(-1)).toBe('heard {"action":"cancel"}');
  });

  test('P5: a question survives its process, and the model reads that the call that asked was lost', async () => {
    const before = await waiting([order], [asking(input)]);
    const conversation = await reopened(before, [DONE], {}, [asking(input)]);
    const running = conversation.resumeRun();
    await conversation.answerCall(before.question.id, { content: '{"name":"Ann"}' });
    expect((await running).status).toBe('finished');
    const [lost, answer] = await results(conversation);
    expect(lost).toContain('outcome is unknown');
    expect(answer).toBe('{"action":"accept","content":{"name":"Ann"}}');
  });
});
