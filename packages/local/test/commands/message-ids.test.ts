import { imageContent, textContent } from '@conv/core/events';
import { describe, expect, test } from 'vitest';

import { gate, open, play, texts } from '../support/bench.ts';
import { ScriptedAgent } from '../support/scripted-agent.ts';
import { VALUE, withSecret } from '../support/secret-bench.ts';

const id = '3f2b8c1e-7d5a-4a63-9b0e-1c2d3e4f5a6b';

describe('a message that is sent under an id', () => {
  test('a message with a used id is not sent again, by another process either, and changes nothing', async () => {
    const { conversation, store } = await play({ think: () => 'done' });
    const answers = await Promise.all([1, 2, 3].map(() => conversation.sendMessage('once', { id })));
    expect(answers).toEqual([1, 2, 3].map(() => ({ id, queued: false })));
    expect((await conversation.run()).status).toBe('finished');
    expect(await conversation.sendMessage('once', { id })).toEqual({ id, queued: false });
    expect(conversation.state.executionStatus).toBe('finished');
    await conversation.close();
    const again = await open(store, { agent: new ScriptedAgent(), id: conversation.id });
    expect(await again.sendMessage('once', { id })).toEqual({ id, queued: false });
    expect(await texts(again)).toEqual(['once', 'done']);
  });

  test('a message that is sent twice while it waits for a call is queued once', async () => {
    const working = gate();
    const { conversation } = await play({
      think: ({ number }) => (number === 1 ? ['work'] : 'done'),
      call: () => working.pass(),
    });
    await conversation.sendMessage('go');
    const running = conversation.run();
    await working.reached;
    expect(await conversation.sendMessage('once', { id })).toEqual({ id, queued: true });
    expect(await conversation.sendMessage('once', { id })).toEqual({ id, queued: true });
    working.open();
    await running;
    expect((await texts(conversation)).filter((text) => text === 'once')).toHaveLength(1);
    expect((await conversation.events.get(id))?.id).toBe(id);
  });

  test('P10: a repeated message rejects no call that waits for a person', async () => {
    const { conversation } = await play(
      { think: ({ number }) => (number === 1 ? ['work'] : 'done') },
      { confirmationPolicy: { kind: 'AlwaysConfirm' } },
    );
    await conversation.sendMessage('go', { id });
    expect((await conversation.run()).status).toBe('waiting_for_confirmation');
    await conversation.sendMessage('go', { id });
    expect(conversation.state.pendingActions).toHaveLength(1);
  });

  test.each([
    ['other words', 'twice', {}],
    ['another sender', 'once', { sender: 'somebody' }],
    [
      'a whole message with more in it',
      { role: 'user', content: [textContent('once'), textContent('more')], thinking_blocks: [] },
      {},
    ],
    ['an image', { role: 'user', content: [imageContent('once')], thinking_blocks: [] }, {}],
  ] as const)(
    'P13: a message with %s rejects INVALID_INPUT that names the id, and nothing is stored',
    async (_, other, more) => {
      const { conversation } = await play();
      await conversation.sendMessage('once', { id });
      const { length } = conversation.events;
      const sent = conversation.sendMessage(other, { id, ...more });
      await expect(sent).rejects.toMatchObject({ code: 'INVALID_INPUT', message: expect.stringContaining(id) });
      expect(conversation.events.length).toBe(length);
      expect(await conversation.sendMessage('once', { id })).toEqual({ id, queued: false });
    },
  );

  test('P13: messages at the same time with one id and different words are refused after the first', async () => {
    const { conversation } = await play();
    const answers = await Promise.allSettled(
      ['one', 'two', 'one'].map((text) => conversation.sendMessage(text, { id })),
    );
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await texts(conversation)).toEqual(['one']);
  });

  test('P13: a queued message is refused with other words under the same id', async () => {
    const working = gate();
    const { conversation } = await play({
      think: ({ number }) => (number === 1 ? ['work'] : 'done'),
      call: () => working.pass(),
    });
    await conversation.sendMessage('go');
    const running = conversation.run();
    await working.reached;
    await conversation.sendMessage('once', { id });
    await expect(conversation.sendMessage('twice', { id })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    working.open();
    await running;
    expect((await texts(conversation)).filter((text) => /once|twice/.test(text))).toEqual(['once']);
  });

  test('P13: a message with the id of an answer of the agent rejects INVALID_INPUT', async () => {
    const { conversation } = await play({ think: () => 'done' });
    await conversation.sendMessage('go');
    await conversation.run();
    const said = (await conversation.events.at(-1))?.id;
    await expect(conversation.sendMessage('done', { id: said as string })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    });
  });

  test('P9: a repeated message with a secret that is masked in the store is the same message', async () => {
    const { conversation } = await withSecret();
    const said = `Use ${VALUE} for it`;
    await conversation.sendMessage(said, { id });
    expect(JSON.stringify(await conversation.events.get(id))).not.toContain(VALUE);
    expect(await conversation.sendMessage(said, { id })).toEqual({ id, queued: false });
    for (const other of ['Use it', `Use ${VALUE} for all`, `Take ${VALUE} for it`, 'Use for it'])
      await expect(conversation.sendMessage(other, { id })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  test.each(['', 'short', '3F2B8C1E-7D5A-4A63-9B0E-1C2D3E4F5A6B', 7 as never])(
    'P13: a message with the id %j rejects INVALID_INPUT',
    async (wrong) => {
      const { conversation } = await play();
      await expect(conversation.sendMessage('x', { id: wrong })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
      expect(conversation.events.length).toBe(0);
    },
  );
});
