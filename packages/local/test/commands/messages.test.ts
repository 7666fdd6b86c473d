import { describe, expect, test } from 'vitest';

import { gate, open, play, story, texts } from '../support/bench.ts';
import { ScriptedAgent } from '../support/scripted-agent.ts';

describe('a message', () => {
  test('P12: a message of 10 MB rejects EVENT_TOO_LARGE, queued or not, and loses nothing', async () => {
    const working = gate();
    const { conversation } = await play({
      think: ({ number }) => (number === 1 ? ['work'] : 'done'),
      call: () => working.pass(),
    });
    const huge = 'x'.repeat(10_000_000);
    await expect(conversation.sendMessage(huge)).rejects.toMatchObject({ code: 'EVENT_TOO_LARGE' });
    await conversation.sendMessage('go');
    const running = conversation.run();
    await working.reached;
    await expect(conversation.sendMessage(huge)).rejects.toMatchObject({ code: 'EVENT_TOO_LARGE' });
    working.open();
    expect((await running).status).toBe('finished');
    expect(await texts(conversation)).toEqual(['go', 'done']);
  });

  test.each([{ role: 'system', content: [] }, null, 7, undefined])(
    'P13: the message %j rejects INVALID_INPUT',
    async (wrong) => {
      const { conversation } = await play();
      await expect(conversation.sendMessage(wrong as never)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
      expect(conversation.events.length).toBe(0);
    },
  );

  test('P13: a message whose content is invalid rejects INVALID_INPUT', async () => {
    const { conversation } = await play();
    const wrong = { role: 'user', content: [{ type: 'song' }] } as never;
    await expect(conversation.sendMessage(wrong)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(conversation.sendMessage(' ')).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect(await conversation.sendMessage('x')).toMatchObject({ queued: false });
    expect(await story(conversation)).toBe('system user');
  });

  test('a message that waits for a call survives the process and is appended at the next opening', async () => {
    const working = gate();
    const { conversation, store } = await play({ think: () => ['work'], call: () => working.pass() });
    await conversation.sendMessage('go');
    void conversation.run();
    await working.reached;
    const sent = await Promise.all(['one', 'two'].map((text) => conversation.sendMessage(text)));
    const last = (await store.read(conversation.id))?.end;
    await conversation.close();
    expect(last).toBeDefined();
    const again = await open(store, { agent: new ScriptedAgent(), id: conversation.id });
    expect(await texts(again)).toEqual(['go', 'one', 'two']);
    expect((await again.events.get(sent[1]?.id ?? ''))?.id).toBe(sent[1]?.id);
    expect((await again.run()).status).toBe('finished');
  });

  test('a message that waits when the finish tool ends is answered in the same run', async () => {
    const working = gate();
    const { conversation, agent } = await play({
      think: ({ number }) => (number === 1 ? ['finish'] : 'done'),
      call: () => working.pass(),
    });
    await conversation.sendMessage('go');
    const running = conversation.run();
    await working.reached;
    await conversation.sendMessage('one more thing');
    working.open();
    expect((await running).status).toBe('finished');
    expect(agent.requests).toBe(2);
    expect(await story(conversation, 2)).toBe('action result user agent');
  });

  test('a run answers a message that was sent just before it and was not awaited', async () => {
    const starting = gate();
    const { conversation } = await play({ start: () => starting.pass() });
    const sent = conversation.sendMessage('go');
    const running = conversation.run();
    await starting.reached;
    starting.open();
    await sent;
    expect(await running).toEqual({ status: 'finished', iterations: 1 });
  });

  test('P7: a message does not wait for tools that are being made, unless it is the first', async () => {
    const starting = gate();
    const { conversation, store } = await play();
    await conversation.sendMessage('go');
    await conversation.close();
    const agent = new ScriptedAgent({ start: () => starting.pass() });
    const again = await open(store, { agent, id: conversation.id });
    const running = again.run();
    await starting.reached;
    expect(await again.sendMessage('second')).toMatchObject({ queued: false });
    await again.settings.setTitle('t');
    starting.open();
    expect((await running).status).toBe('finished');
    expect(agent.requests).toBe(1);
  });
});

describe('P8: a side question', () => {
  test('P8: a side question during a call writes nothing, leaves the open batch out, and reports its cost', async () => {
    const working = gate();
    const views: number[] = [];
    const { conversation, store } = await play({
      think: ({ number, view }) => {
        if (number === 0) views.push(view.length);
        return number === 1 ? ['work'] : 'done';
      },
      call: () => working.pass(),
    });
    await conversation.sendMessage('go');
    const running = conversation.run();
    await working.reached;
    const [before, { appends }] = [conversation.state.fields, store];
    const { text, record } = await conversation.askAgent('how far?');
    expect([text, record.responseId, views]).toEqual(['done', 'aside', [2]]);
    expect(conversation.state.fields).toBe(before);
    expect(store.appends).toBe(appends);
    working.open();
    expect((await running).status).toBe('finished');
  });

  test('P8: a side question works before the first message, rejects a blank text, and passes an abort on', async () => {
    const { conversation } = await play();
    expect((await conversation.askAgent('hello?')).text).toBe('about hello?');
    await expect(conversation.askAgent('  ')).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    const reason = new Error('never mind');
    await expect(conversation.askAgent('x', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(conversation.events.length).toBe(0);
  });
});
