import { randomUUID } from 'node:crypto';

import { ConversationState, initialFields } from '@conv/core';
import { drafts } from '@conv/core/events';
import { MemoryStore } from '@conv/core/store';
import { openLocalConversation } from '@conv/local';

import { type Figure } from '../figure.ts';
import { instantAgent } from '../instant-agent.ts';
import { fill } from '../place.ts';

const VIEW = 500;
/** The ids of so many events fit into one event. */
const CONDENSED_AT_ONCE = 10_000;

/**
 * Measures the cost of a step without model, tool and device: a call, its result, the next request's messages. Model and tool
 * take no time.
 */
export async function stepOverhead(size: number, steps: number): Promise<readonly Figure[]> {
  const store = new MemoryStore();
  const id = randomUUID();
  await fillMemory(store, id, size);
  const conversation = await openLocalConversation(
    { storeAt: () => store },
    { store, id, agent: instantAgent(steps), workspace: process.cwd() },
  );
  await conversation.sendMessage('go on');
  await conversation.state.modelView();
  const [start, used] = [performance.now(), process.cpuUsage()];
  const { iterations } = await conversation.run({ maxIterations: steps * 2 });
  const value = (performance.now() - start) / iterations;
  const { user, system } = process.cpuUsage(used);
  await conversation.close();
  return [
    {
      name: `step.overhead.${size}`,
      value,
      unit: 'ms',
      baseline: null,
      ratio: null,
      target: { of: 'value', is: 'at most', limit: 1 },
    },
    {
      // with the threads of the engine, which collect garbage
      name: `step.cpu.${size}`,
      value: (user + system) / 1000 / iterations,
      unit: 'ms',
      baseline: null,
      ratio: null,
    },
  ];
}

/** A log of `size` events whose view is cut to half of what a step may see. */
async function fillMemory(store: MemoryStore, id: string, size: number): Promise<void> {
  const journal = await store.open(id, { owner: 'bench' });
  await journal.append(
    { id: randomUUID(), events: [], patch: { set: { ...initialFields, id, agent: { kind: 'Agent' } } } },
    initialFields,
  );
  await fill(journal, size);
  const state = await ConversationState.open(journal);
  const view = await state.modelView();
  const forgotten = view.slice(0, Math.max(0, view.length - VIEW / 2)).map((event) => event.id);
  for (let at = 0; at < forgotten.length; at += CONDENSED_AT_ONCE) {
    const ids = forgotten.slice(at, at + CONDENSED_AT_ONCE);
    await state.append([drafts.condensation({ forgotten_event_ids: ids, llm_response_id: `condensation_${at}` })]);
  }
  await state.close();
}
