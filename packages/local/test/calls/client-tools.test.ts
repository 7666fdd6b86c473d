import { SECRET_MASK } from '@conv/core';
import { ModelScript, ScriptedAgent, type ModelTurn } from '@conv/conformance';
import { isEvent, isText, type ActionEvent } from '@conv/core/events';
import { type ClientToolInput, type Tool } from '@conv/core/tool';
import { clientTool } from '@conv/openhands/client-tools';
import { FaultyStore } from '@conv/testing-harness';
import { describe, expect, test } from 'vitest';

import type { LocalConversation, LocalConversationOptions, LocalRuntimeOptions } from '../../src/index.ts';
import { open, story } from '../support/bench.ts';
import { FakeHooks } from '../support/fake-hooks.ts';
import { FakeVault } from '../support/fake-vault.ts';

const parameters = { type: 'object', properties: { question: { type: 'string' } } };
const ask: ClientToolInput = { name: 'ask', description: 'Asks.', parameters };
const askCaller: ClientToolInput = { ...ask, answers: 'caller' };
const INVALID = { code: 'INVALID_INPUT' };

function asks(...questions: readonly string[]): ModelTurn {
  return { calls: questions.map((question) => ({ name: 'ask', arguments: { question } })) };
}

interface Stage {
  readonly conversation: LocalConversation;
  readonly store: FaultyStore;
}

interface Given {
  readonly turns?: readonly ModelTurn[];
  readonly tools?: readonly Tool[];
  readonly toolConcurrency?: number;
  readonly store?: FaultyStore;
  readonly options?: LocalConversationOptions;
  readonly runtime?: Partial<LocalRuntimeOptions>;
}

async function made({
  turns = [],
  tools,
  toolConcurrency,
  options,
  runtime,
  store = new FaultyStore(),
}: Given): Promise<Stage> {
  const limits = toolConcurrency === undefined ? {} : { toolConcurrency };
  const agent = new ScriptedAgent({ script: new ModelScript(turns), ...(tools ? { tools } : {}), ...limits });
  return { store, conversation: await open(store, { agent, ...options }, runtime) };
}

/** A conversation in which the model asks, and a run of it. */
async function asked(given: Given): Promise<Stage & { readonly running: Promise<{ readonly status: string }> }> {
  const turns = given.turns ?? [asks('why?'), { text: 'I see.' }];
  const stage = await made({ ...given, turns, options: { clientTools: [askCaller], ...given.options } });
  await stage.conversation.sendMessage('go');
  const running = stage.conversation.run();
  running.catch(() => {});
  return { ...stage, running };
}

/** The first action that begins from now on. */
function nextAction(conversation: LocalConversation): Promise<ActionEvent> {
  return new Promise((resolve) => {
    const subscription = conversation.subscribe((event) => {
      if (!isEvent(event, 'ActionEvent')) return;
      subscription.unsubscribe();
      resolve(event);
    });
  });
}

async function results({ conversation }: Stage): Promise<readonly string[]> {
  const events = await conversation.events.slice();
  return events
    .filter((event) => isEvent(event, 'ObservationEvent'))
    .flatMap(({ observation: { content = [] } }) => content.filter(isText).map(({ text }) => text));
}

describe('client tools that are declared', () => {
  test.each<readonly [string, readonly unknown[]]>([
    ['no list', 7 as never],
    ['no spec', ['ask']],
    ['a name that no model can call', [{ ...ask, name: 'a b' }]],
    ['a schema of no object', [{ ...ask, parameters: { type: 'string' } }]],
    ['a parameter that an action needs itself', [{ ...ask, parameters: { ...parameters, properties: { kind: {} } } }]],
    ['an answer of nobody', [{ ...ask, answers: 'somebody' }]],
    ['two with one name', [ask, { ...ask, description: 'Asks again.' }]],
    ['one with the name of a tool of the agent', [{ ...ask, name: 'think' }]],
    ['more than one event has room for', [{ ...ask, description: 'x'.repeat(300_000) }]],
  ])('P13: client tools as %s are refused before anything is touched', async (_, clientTools) => {
    const store = new FaultyStore();
    await expect(made({ store, options: { clientTools: clientTools as never } })).rejects.toMatchObject(INVALID);
    expect(store.appends).toBe(0);
  });

  test('client tools are in the first commit, without what holds in this process alone', async () => {
    const { conversation } = await made({ options: { clientTools: [askCaller] } });
    const [first] = await Array.fromAsync(conversation.history.commits());
    expect(first?.patch?.set?.clientTools).toEqual([ask]);
    expect(conversation.state.clientTools).toEqual([ask]);
  });

  test('client tools given on resume come behind the stored tools, and may have another description', async () => {
    const { conversation, store } = await made({ options: { clientTools: [ask] } });
    await conversation.close();
    const clientTools = [
      { ...ask, name: 'tell' },
      { ...ask, description: 'Asks nicely.' },
    ];
    const again = await made({ store, options: { id: conversation.id, clientTools } });
    expect(again.conversation.state.clientTools).toEqual([clientTools[1], clientTools[0]]);
    await again.conversation.close();
    const third = await made({ store, options: { id: conversation.id, clientTools } });
    const commits = await Array.fromAsync(third.conversation.history.commits());
    expect(commits.filter(({ patch }) => patch?.set?.clientTools)).toHaveLength(2);
  });

  test.each<readonly [string, LocalConversationOptions, readonly string[]]>([
    ['with other parameters', { clientTools: [{ ...ask, parameters: { type: 'object' } }] }, []],
    ['where the agent has a tool of that name by now', {}, ['ask']],
  ])('P13: client tools given on resume %s are refused, and nothing is changed', async (_, options, names) => {
    const { conversation, store } = await made({ options: { clientTools: [ask] } });
    await conversation.close();
    const appends = store.appends;
    const tools = names.map((name) => clientTool({ ...ask, name }));
    const opened = made({ store, tools, options: { id: conversation.id, title: 'Other', ...options } });
    await expect(opened).rejects.toMatchObject(INVALID);
    expect(store.appends).toBe(appends);
    const again = await made({ store, options: { id: conversation.id } });
    expect(again.conversation.state.title).toBeNull();
  });

  test('stored client tools in a form that is unknown here are left out with a warning', async () => {
    const { conversation, store } = await made({ turns: [], options: { clientTools: [ask] } });
    await conversation.state.update({ add: { clientTools: [{ ...ask, name: 'no name' }] } });
    await conversation.close();
    const warned = new Promise<Error>((resolve) => process.once('warning', resolve));
    const turns = [asks('why?'), { text: 'I see.' }];
    const again = await made({ store, turns, options: { id: conversation.id } });
    expect((await warned).message).toContain('"no name"');
    expect(again.conversation.state.clientTools).toHaveLength(2);
    await again.conversation.sendMessage('go');
    expect((await again.conversation.run()).status).toBe('finished');
  });

  test('P9: client tools are masked, and the same tools given again are equal to the stored ones', async () => {
    const clientTools = [
      { ...ask, description: 'Knows correct-horse.', parameters: { ...parameters, title: 'correct-horse' } },
    ];
    const runtime = { secrets: (vault: object) => new FakeVault(vault) };
    const options = { clientTools, secrets: { TOKEN: 'correct-horse' } };
    const { conversation, store } = await made({ options, runtime });
    expect(conversation.state.clientTools[0]).toMatchObject({ description: `Knows ${SECRET_MASK}.` });
    await conversation.close();
    const again = await made({ store, runtime, options: { ...options, id: conversation.id } });
    expect(JSON.stringify(again.conversation.state.clientTools)).not.toContain('correct-horse');
  });
});

describe('a call that its caller answers', () => {
  test('a call that its caller answers can be answered before its tool has begun', async () => {
    const stage = await made({ turns: [asks('why?'), { text: 'I see.' }], options: { clientTools: [askCaller] } });
    const { conversation } = stage;
    let answered: Promise<void> | undefined;
    conversation.subscribe((event) => {
      if (isEvent(event, 'ActionEvent')) answered = conversation.answerCall(event.id, { content: 'at once' });
    });
    await conversation.sendMessage('go');
    expect((await conversation.run()).status).toBe('finished');
    await answered;
    expect(await results(stage)).toEqual(['at once']);
  });

  test('a call that its caller answers is open beside others, and each gets its own answer', async () => {
    const turns = [asks('one?', 'two?'), { text: 'I see.' }];
    const stage = await made({ turns, toolConcurrency: 2, options: { clientTools: [askCaller] } });
    const { conversation } = stage;
    const actions: ActionEvent[] = [];
    const both = new Promise<void>((resolve) => {
      conversation.subscribe((event) => {
        if (isEvent(event, 'ActionEvent') && actions.push(event) === 2) resolve();
      });
    });
    await conversation.sendMessage('go');
    const running = conversation.run();
    await both;
    const [one, two] = actions.map(({ id }) => id);
    await conversation.answerCall(two ?? '', { content: 'second' });
    await conversation.answerCall(one ?? '', { content: 'first' });
    expect((await running).status).toBe('finished');
    expect(await results(stage)).toEqual(['second', 'first']);
  });

  test('a call that its caller answers waits for the result before it where calls run one by one', async () => {
    const stage = await made({
      turns: [asks('one?', 'two?'), { text: 'I see.' }],
      options: { clientTools: [askCaller] },
    });
    const { conversation } = stage;
    const action = nextAction(conversation);
    await conversation.sendMessage('go');
    const running = conversation.run();
    await action;
    const [one, two] = conversation.state.pendingActions.map(({ id }) => id);
    await expect(conversation.answerCall(two ?? '', { content: '' })).rejects.toMatchObject({ code: 'UNKNOWN_ACTION' });
    await conversation.answerCall(one ?? '', { content: 'first' });
    await conversation.answerCall(two ?? '', { content: 'second' });
    expect((await running).status).toBe('finished');
    expect(await results(stage)).toEqual(['first', 'second']);
  });

  test('a call is acknowledged in a process that was not told that its caller answers', async () => {
    const first = await made({ options: { clientTools: [askCaller] } });
    await first.conversation.close();
    const {
      store,
      conversation: { id },
    } = first;
    const stage = await made({ store, turns: [asks('why?'), { text: 'I see.' }], options: { id } });
    await stage.conversation.sendMessage('go');
    await stage.conversation.run();
    expect(await results(stage)).toEqual(['Tool call dispatched to client.']);
  });

  test('a call that its caller answers starts when its hooks allow it, and not when they block it', async () => {
    const hook = Promise.withResolvers<{ readonly blocked?: boolean }>();
    const hooks = new FakeHooks({ PreToolUse: () => hook.promise });
    const { conversation, running } = await asked({ options: { hooks } });
    const { id } = await nextAction(conversation);
    await expect(conversation.answerCall(id, { content: '' })).rejects.toMatchObject({ code: 'UNKNOWN_ACTION' });
    hook.resolve({ blocked: true });
    await running;
    expect(await story(conversation, 2)).toBe('action hook reject agent');
  });

  test('a message of the user waits behind a call that its caller answers', async () => {
    const turns = [asks('why?'), { text: 'I see.' }, { text: 'That too.' }];
    const { conversation, running } = await asked({ turns });
    const { id } = await nextAction(conversation);
    await conversation.sendMessage('and this');
    expect(conversation.state.queue).toHaveLength(1);
    await conversation.answerCall(id, { content: 'because' });
    await running;
    expect((await story(conversation, 2)).split(' ').slice(0, 3)).toEqual(['action', 'result', 'user']);
  });

  test('P9: the answer of a caller is masked', async () => {
    const runtime = { secrets: (vault: object) => new FakeVault(vault) };
    const stage = await asked({ runtime, options: { secrets: { TOKEN: 'correct-horse' } } });
    const { id } = await nextAction(stage.conversation);
    await stage.conversation.answerCall(id, { content: 'it is correct-horse' });
    expect(await results(stage)).toEqual([`it is ${SECRET_MASK}`]);
    await stage.running;
  });

  test.each<readonly [string, unknown]>([
    ['nothing', undefined],
    ['no content', {}],
    ['parts that are none', { content: [{ type: 'video' }] }],
    ['an image without an address', { content: [{ type: 'image', image_urls: [7] }] }],
    ['a part that says what no part can', { content: [{ type: 'text', text: '', cache_prompt: 'often' }] }],
    ['an error that is none', { content: '', isError: 'yes' }],
  ])('P13: a call that its caller answers is not answered with %s, and goes on waiting', async (_, answer) => {
    const { conversation, running } = await asked({});
    const { id } = await nextAction(conversation);
    await expect(conversation.answerCall(id, answer as never)).rejects.toMatchObject(INVALID);
    await conversation.answerCall(id, { content: 'because' });
    expect((await running).status).toBe('finished');
  });

  test('P1: a call is not answered where the answer cannot be stored', async () => {
    const { conversation, running, store } = await asked({});
    const { id } = await nextAction(conversation);
    store.refuse();
    await expect(conversation.answerCall(id, { content: 'because' })).rejects.toMatchObject({ code: 'STORE_FAILED' });
    await expect(running).rejects.toMatchObject({ code: 'STORE_FAILED' });
  });

  test('closing the conversation ends a call that its caller answers, even if an answer comes meanwhile', async () => {
    const { conversation, running, store } = await asked({});
    const { id } = await nextAction(conversation);
    const closing = conversation.close();
    await expect(conversation.answerCall(id, { content: 'late' })).rejects.toMatchObject({ code: 'CLOSED' });
    await closing;
    expect((await running).status).toBe('paused');
    const again = await made({ store, options: { id: conversation.id } });
    expect((await story(again.conversation, 2)).split(' ').slice(0, 2)).toEqual(['action', 'error']);
  });
});
