import { eventGuards, isEvent } from '@conv/core/events';
import { describe, expect, test } from 'vitest';

import { open, play, story, texts, type Bench } from '../support/bench.ts';
import { ScriptedAgent, type Script } from '../support/scripted-agent.ts';

/** Long enough that a test which waits for it fails. */
const LONG = 2 ** 40;

const script = (concurrency: number): Script => ({
  think: ({ number }) => (number === 1 ? ['work', 'work', 'work'] : 'done'),
  concurrency,
  resources: () => [],
});

async function begin(concurrency: number): Promise<Bench> {
  const bench = await play(script(concurrency));
  await bench.conversation.sendMessage('go');
  return bench;
}

/** Returns the number of turns of the microtask queue that a run takes. */
async function lengthOfRun(concurrency: number): Promise<number> {
  const { conversation } = await begin(concurrency);
  let on = true;
  const running = conversation.run().finally(() => (on = false));
  let turns = 0;
  for (; on; turns++) await Promise.resolve();
  await running;
  return turns;
}

describe.each([1, 3])('handed over at every moment of a run with %i call at a time', (concurrency) => {
  test.each([0, LONG])(
    'P5: the next process ends a run after a grace of %d ms, asks for nothing, and executes nothing twice',
    async (grace) => {
      const moments = await lengthOfRun(concurrency);
      expect(moments).toBeGreaterThan(50);
      for (let moment = 0; moment <= moments; moment++) {
        const { conversation, store, agent } = await begin(concurrency);
        const running = conversation.run();
        for (let turn = 0; turn < moment; turn++) await Promise.resolve();
        await conversation.close({ runs: 'leave', grace });
        const { status } = await running;
        expect(['running', 'finished']).toContain(status);
        const next = new ScriptedAgent();
        const again = await open(store, { id: conversation.id, agent: next, interruptedRun: 'resume' });
        const isOn = again.interruptedRun;
        const taken = await again.resumeRun();
        const events = await again.events.slice();
        const calls = events.filter((event) => isEvent(event, 'ActionEvent')).map((event) => event.tool_call_id);
        const results = events.filter(eventGuards.isObservationLike).map((event) => event.tool_call_id);
        const begun = [...agent.begun, ...next.begun];
        expect({
          at: [moment, await story(again)],
          isOn,
          status: taken.status,
          results: results.toSorted(),
          begun: new Set(begun).size,
          said: (await texts(again)).at(-1),
          stopped: events.some((event) => isEvent(event, 'PauseEvent') || isEvent(event, 'InterruptEvent')),
        }).toEqual({
          at: [moment, await story(again)],
          isOn: status === 'running',
          status: 'finished',
          results: calls.toSorted(),
          begun: begun.length,
          said: 'done',
          stopped: false,
        });
        await again.close();
      }
    },
  );
});
