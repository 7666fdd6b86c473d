import { isConversationError, type StepContext } from '@conv/core';
import { drafts, isEvent } from '@conv/core/events';
import { KillableStore } from '@conv/testing-harness';
import { describe, expect, test } from 'vitest';

import type { LocalConversation } from '../../src/index.ts';
import { gate, never, open, play, story, texts } from '../support/bench.ts';
import { FakeHooks } from '../support/fake-hooks.ts';
import { callRecord, ScriptedAgent, type Script } from '../support/scripted-agent.ts';

/** Forgets everything between the system prompt and the last cut. */
async function shorten(context: StepContext): Promise<void> {
  const { events, cuts, offsets } = await context.condensableView();
  const end = cuts.findLast((cut) => cut < events.length) ?? 1;
  const forgotten_event_ids = events.slice(1, end).map(({ id }) => id);
  const draft = drafts.condensation({
    forgotten_event_ids,
    summary: `${forgotten_event_ids.length} events`,
    summary_offset: offsets[1] ?? 0,
    llm_response_id: 'summary',
  });
  await context.emit([draft], [{ ...callRecord('summary'), usageId: 'condenser', cost: 0.5 }]);
}

const twice: Script = {
  think: ({ number }) => (number < 3 ? ['work'] : 'done'),
  condense: shorten,
};

async function worked(script: Script = twice): ReturnType<typeof play> {
  const bench = await play(script);
  await bench.conversation.sendMessage('go');
  await bench.conversation.run();
  return bench;
}

async function viewOf({ state }: LocalConversation): Promise<readonly string[]> {
  return (await state.modelView()).map((event) =>
    isEvent(event, 'CondensationSummaryEvent') ? 'summary' : event.kind,
  );
}

const SHORT = ['SystemPromptEvent', 'summary', 'MessageEvent'];
const WHOLE = [
  'SystemPromptEvent',
  'MessageEvent',
  'ActionEvent',
  'ObservationEvent',
  'ActionEvent',
  'ObservationEvent',
  'MessageEvent',
];

describe('outside of a run', () => {
  test('a condensation is made at once, counted with its costs, and leaves status and iterations alone', async () => {
    const { conversation } = await worked();
    const { executionStatus, iteration } = conversation.state;
    const before = conversation.events.length;
    const commits = conversation.state.end.seq;
    await conversation.history.condense();
    expect(await story(conversation, before)).toBe('request condensation');
    expect(await viewOf(conversation)).toEqual(SHORT);
    expect([conversation.state.executionStatus, conversation.state.iteration]).toEqual([executionStatus, iteration]);
    expect(conversation.state.stats['condenser']).toMatchObject({ cost: 0.5, calls: 1 });
    expect(conversation.state.end.seq - commits).toBe(2);
  });

  test('P13: an agent that cannot condense rejects UNSUPPORTED, a closed conversation CLOSED', async () => {
    const { conversation } = await worked({ think: () => 'done' });
    await expect(conversation.history.condense()).rejects.toMatchObject({ code: 'UNSUPPORTED' });
    expect(await story(conversation)).toBe('system user agent');
    await conversation.close();
    await expect(conversation.history.condense()).rejects.toMatchObject({ code: 'CLOSED' });
  });

  test('condensing before the first message finds nothing to condense', async () => {
    const { conversation } = await play(twice);
    await conversation.history.condense();
    expect(conversation.events.length).toBe(0);
  });

  test('P5: calls that wait for a person stay out of a condensation and go on waiting', async () => {
    const { conversation } = await play(
      { ...twice, think: ({ number }) => (number === 1 ? 'hello' : ['work']) },
      { confirmationPolicy: { kind: 'AlwaysConfirm' } },
    );
    await conversation.sendMessage('say hello');
    await conversation.run();
    await conversation.sendMessage('go');
    expect((await conversation.run()).status).toBe('waiting_for_confirmation');
    await conversation.history.condense();
    expect(await viewOf(conversation)).toEqual(SHORT);
    expect(conversation.state.executionStatus).toBe('waiting_for_confirmation');
    expect(conversation.state.pendingActions).toHaveLength(1);
  });

  test('two condensations that are asked for at a time are one', async () => {
    const { conversation } = await worked();
    await Promise.all([conversation.history.condense(), conversation.history.condense()]);
    expect((await conversation.events.slice()).filter(({ kind }) => kind === 'Condensation')).toHaveLength(1);
  });

  test('a run waits for a condensation, moving rejects BUSY meanwhile, and messages do not wait', async () => {
    const wait = gate();
    const condense = async (context: StepContext): Promise<void> => {
      await wait.pass();
      await shorten(context);
    };
    const { conversation, agent } = await worked({ ...twice, condense });
    const condensing = conversation.history.condense();
    await wait.reached;
    await expect(conversation.history.navigateTo(null)).rejects.toMatchObject({ code: 'BUSY' });
    await conversation.sendMessage('again');
    const running = conversation.run();
    const { requests } = agent;
    await Promise.resolve();
    expect(agent.requests).toBe(requests);
    wait.open();
    await condensing;
    expect((await running).status).toBe('finished');
    expect(await texts(conversation)).toEqual(['go', 'done', 'again', 'done']);
  });

  test('a run that begins behind a condensation does not take it over', async () => {
    const { conversation } = await worked();
    const condensing = conversation.history.condense();
    expect(await conversation.run()).toEqual({ status: 'finished', iterations: 0 });
    await condensing;
    expect(await viewOf(conversation)).toEqual(SHORT);
  });

  test('P7: an interrupt cancels a condensation, and the next run answers the request', async () => {
    let calls = 0;
    const condense = (context: StepContext): Promise<void> => (++calls === 1 ? never() : shorten(context));
    const { conversation } = await worked({ ...twice, condense });
    const condensing = conversation.history.condense();
    const outcome = condensing.catch((error: unknown) => error);
    await expect.poll(() => calls).toBe(1);
    await conversation.interrupt();
    expect(await outcome).toMatchObject({ name: 'AbortError' });
    expect(await viewOf(conversation)).toEqual(WHOLE);
    await conversation.sendMessage('again');
    expect(await conversation.run()).toEqual({ status: 'finished', iterations: 1 });
    expect((await viewOf(conversation)).slice(0, 2)).toEqual(['SystemPromptEvent', 'summary']);
  });

  test('closing cancels a condensation', async () => {
    const wait = gate();
    const { conversation } = await worked({ ...twice, condense: () => wait.pass() });
    const condensing = conversation.history.condense().catch((error: unknown) => error);
    await wait.reached;
    await conversation.close();
    expect(isConversationError(await condensing, 'CLOSED')).toBe(true);
  });

  test('a condensation rejects with the error of its model, and the request waits', async () => {
    const condense = (): never => {
      throw new Error('no credit');
    };
    const { conversation } = await worked({ ...twice, condense });
    await expect(conversation.history.condense()).rejects.toThrow('no credit');
    expect((await conversation.state.condensableView()).requested).toBe(true);
    expect(conversation.state.executionStatus).toBe('finished');
  });

  test('a condensation is not shown a message that hooks have not seen', async () => {
    const hooks = new FakeHooks({ UserPromptSubmit: () => ({ blocked: true, reason: 'no' }) });
    const shown: string[] = [];
    const condense = async (context: StepContext): Promise<void> => {
      const { events } = await context.condensableView();
      shown.push(...events.map(({ kind }) => kind));
    };
    const { conversation } = await play({ condense }, { hooks });
    await conversation.sendMessage('a secret plan');
    await conversation.history.condense();
    expect(shown).toEqual(['SystemPromptEvent']);
  });
});

describe('during a run', () => {
  test('condensing during a run is the next step, which is no iteration', async () => {
    const { conversation } = await play({
      ...twice,
      call: async () => {
        await conversation.history.condense();
        return 'ok';
      },
    });
    await conversation.sendMessage('go');
    expect(await conversation.run({ maxIterations: 3 })).toEqual({ status: 'finished', iterations: 3 });
    const kinds = (await conversation.events.slice()).map(({ kind }) => kind).filter((kind) => kind.startsWith('Cond'));
    expect(kinds).toEqual(['CondensationRequest', 'Condensation', 'CondensationRequest', 'Condensation']);
  });

  test('P7: condense resolves when the request is durable, so that a tool can ask for it and wait', async () => {
    const { conversation } = await play({
      ...twice,
      call: async () => {
        await conversation.history.condense();
        return (await conversation.events.at(-1))?.kind ?? '';
      },
    });
    await conversation.sendMessage('go');
    await conversation.run();
    const results = (await conversation.events.slice()).filter((event) => isEvent(event, 'ObservationEvent'));
    expect(JSON.stringify(results[0])).toContain('CondensationRequest');
  });

  test('an interrupt during a run cancels a condensation', async () => {
    const wait = gate();
    const condense = (): Promise<void> => wait.pass().then(never);
    const { conversation } = await play({
      ...twice,
      condense,
      call: () => conversation.history.condense().then(() => 'ok'),
    });
    await conversation.sendMessage('go');
    const running = conversation.run();
    await wait.reached;
    await conversation.interrupt();
    expect((await running).status).toBe('paused');
  });
});

describe('what was', () => {
  test('P4: a request that a crash left behind is answered by the next run', async () => {
    const wait = gate();
    const store = new KillableStore();
    const agent = new ScriptedAgent({ ...twice, condense: () => wait.pass().then(never) });
    const conversation = await open(store, { agent });
    await conversation.sendMessage('go');
    await conversation.run();
    void conversation.history.condense();
    await wait.reached;
    await store.kill();
    const again = await open(store, { id: conversation.id, agent: new ScriptedAgent({ condense: shorten }) });
    expect((await again.state.condensableView()).requested).toBe(true);
    await again.sendMessage('again');
    await again.run();
    expect((await viewOf(again)).slice(0, 2)).toEqual(['SystemPromptEvent', 'summary']);
    expect((await again.state.condensableView()).requested).toBe(false);
  });

  test('the view before a condensation is kept: by moving there, and in a fork from there', async () => {
    const { conversation, store, agent } = await worked();
    const last = conversation.state.leafEventId ?? '';
    await conversation.history.condense();
    expect(await viewOf(conversation)).toEqual(SHORT);
    const fork = await open(store, { id: await conversation.history.fork({ from: last }), agent });
    expect(await viewOf(fork)).toEqual(WHOLE);
    const whole = await open(store, { id: await conversation.history.fork(), agent });
    expect(await viewOf(whole)).toEqual(SHORT);
    const { leafEventId } = conversation.state;
    await conversation.history.navigateTo(last);
    expect(await viewOf(conversation)).toEqual(WHOLE);
    await conversation.history.navigateTo(leafEventId);
    expect(await viewOf(conversation)).toEqual(SHORT);
  });

  test('the log keeps every event, and a restart shows the same view', async () => {
    const { conversation, store, agent } = await worked();
    const before = await conversation.events.slice();
    await conversation.history.condense();
    const view = await conversation.state.modelView();
    await conversation.close();
    const again = await open(store, { id: conversation.id, agent });
    expect((await again.events.slice()).slice(0, before.length)).toEqual(before);
    expect(await again.state.modelView()).toEqual(view);
  });
});
