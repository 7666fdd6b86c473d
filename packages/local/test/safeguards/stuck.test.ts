import { STUCK_CODE, STUCK_SENDER, type StuckDetector } from '@conv/core';
import { isEvent } from '@conv/core/events';
import { describe, expect, test } from 'vitest';

import { open, play, story, type Bench } from '../support/bench.ts';
import { FakeDetector } from '../support/fake-detector.ts';

async function begun(
  think: () => readonly string[] | string = () => ['work'],
): Promise<Bench & { detector: FakeDetector }> {
  const detector = new FakeDetector();
  const bench = await play({ think }, {}, { stuckDetector: detector as StuckDetector });
  await bench.conversation.sendMessage('go');
  return { ...bench, detector };
}

describe('a conversation that goes round in a circle', () => {
  test('an agent in a circle is told once and then stopped, and the log says which events repeat', async () => {
    const { conversation } = await begun();
    expect(await conversation.run()).toMatchObject({ status: 'stuck', iterations: 5 });
    expect(await story(conversation, 2)).toBe(
      'action result action result action result environment action result action result failure',
    );
    expect(await conversation.events.at(8)).toMatchObject({ sender: `${STUCK_SENDER}busy` });
    const { stuck } = conversation;
    expect(stuck).toMatchObject({ pattern: 'busy', action: 'stop' });
    const failure = (await conversation.events.at(-1)) as { code?: string; detail?: string };
    expect(failure.code).toBe(STUCK_CODE);
    for (const part of ['busy', '5 events', ...(stuck?.eventIds ?? [])]) expect(failure.detail).toContain(part);
    expect(conversation.state.pendingActions).toEqual([]);
  });

  test.each([
    ['a message', true],
    ['a run', false],
  ])('an agent in a circle goes on with %s, and starts over', async (_, speaks) => {
    const { conversation } = await begun();
    await conversation.run();
    if (speaks) await conversation.sendMessage('try something else');
    expect(await conversation.run()).toMatchObject({ status: 'stuck', iterations: 5 });
    expect(conversation.stuck).toBeDefined();
  });

  test('a repeating agent that finishes ends its run as finished', async () => {
    let asked = 0;
    const { conversation } = await begun(() => (++asked > 4 ? 'done' : ['work']));
    expect((await conversation.run()).status).toBe('finished');
    expect(conversation.stuck).toBeUndefined();
  });

  test('a circle is found after a restart too, from the last message of the user on', async () => {
    const { conversation, store, agent, detector } = await begun();
    await conversation.run({ maxIterations: 2 });
    await conversation.sendMessage('go on');
    await conversation.run({ maxIterations: 4 });
    const { id } = conversation;
    await conversation.close();
    detector.applied = 0;
    const again = await open(store, { id, agent }, { stuckDetector: detector as StuckDetector });
    expect(await again.run()).toMatchObject({ status: 'stuck', iterations: 1 });
    const before = (await again.events.slice()).map(
      (event) => isEvent(event, 'MessageEvent') && event.source === 'user',
    );
    expect(detector.applied).toBe(again.events.length - before.lastIndexOf(true) - 1);
  });

  test('a circle is found on the live branch, whatever happened on others', async () => {
    const { conversation } = await begun();
    const [, message] = await conversation.events.slice();
    await conversation.run();
    await conversation.history.navigateTo(message?.id ?? null);
    expect(await conversation.run()).toMatchObject({ status: 'stuck', iterations: 5 });
    const leaf = conversation.state.leafEventId;
    const failure = (await conversation.events.slice()).find((event) => isEvent(event, 'ConversationErrorEvent'));
    await conversation.history.navigateTo(failure?.id ?? null);
    await conversation.history.navigateTo(leaf);
    expect((await conversation.run()).iterations).toBe(5);
  });

  test('an agent is not told of a circle when a message comes while it is looked for', async () => {
    const detector = new FakeDetector();
    const find = detector.find.bind(detector);
    let sent: Promise<unknown> | undefined;
    detector.find = (state) => {
      const finding = find(state);
      if (finding) sent ??= conversation.sendMessage('stop that');
      return finding;
    };
    const script = { think: (): readonly string[] => ['work'] };
    const { conversation } = await play(script, {}, { stuckDetector: detector as StuckDetector });
    await conversation.sendMessage('go');
    await conversation.run({ maxIterations: 4 });
    await sent;
    expect(await story(conversation, 2)).toBe('action result action result action result user action result failure');
  });

  test('P12: each look costs what is new since the last one', async () => {
    const { conversation, detector } = await begun();
    await conversation.run({ maxIterations: 2 });
    await conversation.sendMessage('go on');
    await conversation.run();
    expect(detector.applied).toBeLessThanOrEqual(conversation.events.length);
  });

  test('a circle is left alone from the next step on when detection is switched off', async () => {
    const { conversation, store, agent, detector } = await begun();
    await conversation.settings.setStuckDetection(false);
    expect(await conversation.run({ maxIterations: 9 })).toMatchObject({ status: 'error', iterations: 9 });
    expect(detector.applied).toBe(0);
    await conversation.close();
    const options = { id: conversation.id, agent, stuckDetection: true };
    const again = await open(store, options, { stuckDetector: detector as StuckDetector });
    expect((await again.run()).status).toBe('stuck');
  });
});
