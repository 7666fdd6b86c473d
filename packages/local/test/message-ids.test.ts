import { describe, expect, test } from 'vitest';

import { gate, open, play, texts } from './bench.ts';
import { ScriptedAgent } from './scripted-agent.ts';

const id = '3f2b8c1e-7d5a-4a63-9b0e-1c2d3e4f5a6b';

describe('a message that is sent under an id', () => {
  test('again is not sent again, also by another process, and changes nothing', async () => {
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

  test('again while it waits for a call is queued once', async () => {
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

  test('P10: again rejects nothing that waits for a person', async () => {
    const { conversation } = await play(
      { think: ({ number }) => (number === 1 ? ['work'] : 'done') },
      { confirmationPolicy: { kind: 'AlwaysConfirm' } },
    );
    await conversation.sendMessage('go', { id });
    expect((await conversation.run()).status).toBe('waiting_for_confirmation');
    await conversation.sendMessage('go', { id });
    expect(conversation.state.pendingActions).toHaveLength(1);
  });

  test.each(['', 'short', '3F2B8C1E-7D5A-4A63-9B0E-1C2D3E4F5A6B', 7 as never])(
    'P13: %j rejects INVALID_INPUT',
    async (wrong) => {
      const { conversation } = await play();
      await expect(conversation.sendMessage('x', { id: wrong })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
      expect(conversation.events.length).toBe(0);
    },
  );
});
