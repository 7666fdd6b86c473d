import { isEvent, type Event } from '@conv/core/events';
import { toCommitSeq } from '@conv/core/store';
import { describe, expect, test } from 'vitest';

import { gate, never, open, play, story } from '../support/bench.ts';
import { ScriptedAgent } from '../support/scripted-agent.ts';

const errorOf = (event: Event | undefined): string | undefined =>
  event && isEvent(event, 'AgentErrorEvent') ? event.error : undefined;

describe('interrupt', () => {
  test('P7: interrupt ends a tool that ignores its signal, and says which calls may have run', async () => {
    const working = gate();
    const { conversation, agent } = await play({
      think: ({ number }) => (number === 1 ? ['work', 'work'] : 'done'),
      call: async () => {
        await working.pass();
        return never();
      },
    });
    await conversation.sendMessage('go');
    const running = conversation.run();
    await working.reached;
    await conversation.interrupt();
    expect(await running).toMatchObject({ status: 'paused' });
    expect(await story(conversation, 2)).toBe('action action error error interrupt');
    const events = await conversation.events.slice(4, 6);
    expect(events.map(errorOf)).toEqual([
      expect.stringContaining('outcome is unknown'),
      expect.stringContaining('had no effect'),
    ]);
    expect(agent.begun).toHaveLength(1);
  });

  test('P7: interrupt ends a model that ignores its signal, and tools that are still being made', async () => {
    for (const where of ['think', 'start'] as const) {
      const waiting = gate();
      let first = true;
      const hang = async (): Promise<never> => {
        await waiting.pass();
        return never();
      };
      const { conversation, store } = await play(where === 'think' ? { think: hang } : {});
      await conversation.sendMessage('go');
      let running = conversation;
      if (where === 'start') {
        await conversation.close();
        const start = (): Promise<void> => (first ? ((first = false), hang()) : Promise.resolve());
        running = await open(store, { agent: new ScriptedAgent({ start }), id: conversation.id });
      }
      const run = running.run();
      await waiting.reached;
      await running.interrupt();
      expect((await run).status).toBe('paused');
      expect(await story(running, 2)).toBe('interrupt');
      await running.close();
    }
  });

  test('interrupt keeps a real result that was there first', async () => {
    const working = gate();
    const { conversation, store } = await play({
      think: ({ number }) => (number === 1 ? ['work', 'work'] : 'done'),
      call: () => working.pass(),
    });
    const storing = gate();
    await conversation.sendMessage('go');
    const running = conversation.run();
    await working.reached;
    store.onAppend = () => storing.pass();
    working.open();
    await storing.reached;
    const interrupted = conversation.interrupt();
    store.onAppend = undefined;
    storing.open();
    await interrupted;
    await running;
    expect(await story(conversation, 2)).toBe('action action result error interrupt');
  });

  test('interrupt after the last answer does nothing: a finished run stays finished', async () => {
    const { conversation, store } = await play();
    const storing = gate();
    await conversation.sendMessage('go');
    const before = store.appends;
    store.onAppend = (number) => (number === before + 2 ? storing.pass() : undefined);
    const running = conversation.run();
    await storing.reached;
    const interrupted = conversation.interrupt();
    storing.open();
    await interrupted;
    expect((await running).status).toBe('finished');
    expect(await story(conversation, 2)).toBe('agent');
  });

  test('interrupt of a run that ends waiting leaves the calls to the person who is asked', async () => {
    const { conversation } = await play(
      { think: ({ number }) => (number === 1 ? ['work'] : 'done') },
      { confirmationPolicy: { kind: 'AlwaysConfirm' } },
    );
    await conversation.sendMessage('go');
    await conversation.run();
    await conversation.interrupt();
    expect(conversation.state.executionStatus).toBe('waiting_for_confirmation');
    expect(conversation.state.pendingActions).toHaveLength(1);
  });

  test('a signal that was aborted before the run pauses it before the model is asked', async () => {
    const { conversation, agent } = await play();
    await conversation.sendMessage('go');
    expect(await conversation.run({ signal: AbortSignal.abort() })).toEqual({ status: 'paused', iterations: 0 });
    expect(agent.requests).toBe(0);
    expect((await conversation.run()).status).toBe('finished');
  });
});

describe('pause', () => {
  test('P7: pause during a tool does not wait for the tool, and takes effect behind the whole step', async () => {
    const working = gate();
    const { conversation, agent } = await play({
      think: ({ number }) => (number === 1 ? ['work', 'work'] : 'done'),
      call: () => working.pass(),
    });
    await conversation.sendMessage('go');
    const running = conversation.run();
    await working.reached;
    await conversation.pause();
    await conversation.pause();
    expect(conversation.state.executionStatus).toBe('running');
    working.open();
    expect((await running).status).toBe('paused');
    expect(await story(conversation, 2)).toBe('action action result result pause');
    expect(agent.requests).toBe(1);
  });

  test('P7: message, policy, tags and title become durable while a tool runs', async () => {
    const working = gate();
    const { conversation } = await play({
      think: ({ number }) => (number === 1 ? ['work'] : 'done'),
      call: () => working.pass(),
    });
    await conversation.sendMessage('go');
    const running = conversation.run();
    await working.reached;
    await conversation.settings.setConfirmationPolicy({ kind: 'AlwaysConfirm' });
    await conversation.settings.setTags({ a: 'b' });
    await conversation.settings.setTitle('t');
    const { queued, id } = await conversation.sendMessage('and this');
    expect([queued, conversation.state.queue.map((message) => message.id)]).toEqual([true, [id]]);
    expect(conversation.state).toMatchObject({
      confirmationPolicy: { kind: 'AlwaysConfirm' },
      tags: { a: 'b' },
      title: 't',
    });
    expect(await story(conversation, 2)).toBe('action');
    working.open();
    expect((await running).status).toBe('finished');
    expect(await story(conversation, 2)).toBe('action result user agent');
    expect((await conversation.events.at(4))?.id).toBe(id);
  });
});

describe('close', () => {
  test('close during a run gives the conversation up although model, tools and visualizer hang', async () => {
    const working = gate();
    const { conversation, store } = await play(
      {
        think: () => ['work'],
        call: async () => {
          await working.pass();
          return never();
        },
        close: never,
      },
      { visualizer: { close: never } },
    );
    await conversation.sendMessage('go');
    const running = conversation.run();
    await working.reached;
    void conversation.close();
    expect((await running).status).toBe('paused');
    let journal: Awaited<ReturnType<typeof store.open>> | undefined;
    while (!journal) {
      await new Promise((resolve) => setImmediate(resolve));
      journal = await store.open(conversation.id, { create: 'never', owner: 'next' }).catch(() => undefined);
    }
    await journal.close();
  });

  test('close rejects with the error of a tool that fails to close, and has closed everything else', async () => {
    let shown = false;
    const { conversation, store } = await play(
      { close: () => Promise.reject(new Error('shell would not die')) },
      { visualizer: { close: () => void (shown = true) } },
    );
    await conversation.sendMessage('go');
    await expect(conversation.close()).rejects.toThrow('shell would not die');
    expect(shown).toBe(true);
    await (await store.open(conversation.id, { create: 'never', owner: 'next' })).close();
  });

  test('close does not wait for tools that are still being made, and closes them later', async () => {
    const starting = gate();
    const closed = Promise.withResolvers<void>();
    const { conversation } = await play({ start: () => starting.pass(), close: () => closed.resolve() });
    const sent = conversation.sendMessage('go');
    await starting.reached;
    await conversation.close();
    starting.open();
    await expect(sent).rejects.toMatchObject({ code: 'CLOSED' });
    await closed.promise;
  });

  test('close tells tools that are still being made to stop', async () => {
    const begun = Promise.withResolvers<AbortSignal | undefined>();
    const { conversation } = await play({
      start: (signal) => {
        begun.resolve(signal);
        return new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
      },
    });
    const sent = conversation.sendMessage('go');
    const signal = await begun.promise;
    expect(signal?.aborted).toBe(false);
    await conversation.close();
    expect(signal?.aborted).toBe(true);
    await expect(sent).rejects.toMatchObject({ code: 'CLOSED' });
  });

  test('close ends a side question with CLOSED, and closes only a store of its own', async () => {
    const asked = gate();
    const { conversation, store } = await play({
      think: async () => {
        await asked.pass();
        return never();
      },
    });
    await conversation.sendMessage('go');
    const aside = conversation.askAgent('why?');
    await asked.reached;
    await Promise.all([conversation.close(), conversation.close()]);
    await expect(aside).rejects.toMatchObject({ code: 'CLOSED' });
    expect(store.closed).toBe(false);
    await expect(conversation.sendMessage('late')).rejects.toMatchObject({ code: 'CLOSED' });
    await expect(conversation.run()).rejects.toMatchObject({ code: 'CLOSED' });
    expect(() => conversation.subscribe(() => {})).toThrow('CLOSED');
    await expect(conversation.history.fork()).rejects.toMatchObject({ code: 'CLOSED' });
    await expect(conversation.history.at(toCommitSeq(1))).rejects.toMatchObject({ code: 'CLOSED' });
  });

  test('close ends inside a subscriber', async () => {
    const { conversation } = await play();
    const closed = Promise.withResolvers<void>();
    conversation.subscribe(async () => {
      await conversation.close();
      closed.resolve();
    });
    await conversation.sendMessage('go');
    await closed.promise;
  });
});
