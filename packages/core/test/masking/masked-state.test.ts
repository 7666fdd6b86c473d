import { inspect } from 'node:util';
import { expect, test } from 'vitest';

import { ConversationState, SECRET_MASK, type Masker } from '../../src/index.ts';
import { isEvent, userMessage, type EventDraftOfKind } from '../../src/events/index.ts';
import { agentError, observation } from '../../src/events/tool-call-drafts.ts';
import { MemoryJournal } from '../../src/engine/memory-journal.ts';
import { systemPlatform } from '../../src/platform/index.ts';
import { plainMasker } from './plain-masker.ts';

const VALUE = 'hunter2hunter2';

const call: EventDraftOfKind<'ActionEvent'> = {
  kind: 'ActionEvent',
  source: 'agent',
  thought: [],
  action: { kind: 'MCPToolAction', data: { key: VALUE } },
  tool_name: 'x',
  tool_call_id: 'c1',
  tool_call: { id: 'c1', name: 'x', arguments: JSON.stringify({ key: VALUE }), origin: 'completion' },
  llm_response_id: 'r1',
};

interface Bench {
  readonly state: ConversationState;
  /** Everything that is stored, as it is stored. */
  readonly stored: () => Promise<string>;
}

async function open(masker: Masker): Promise<Bench> {
  const journal = new MemoryJournal('memory', systemPlatform);
  const state = await ConversationState.open(journal, {}, { masker });
  return { state, stored: async () => JSON.stringify(await Array.fromAsync(journal.commits())) };
}

test('P9: nothing that is stored holds a value, whichever way it comes', async () => {
  const { state, stored } = await open(plainMasker(VALUE));
  await state.append([userMessage(`my key is ${VALUE}`), call]);
  await state.update({
    set: { title: `about ${VALUE}`, tags: { note: VALUE }, blockedMessages: { m: VALUE } },
    add: {
      agentState: { note: VALUE },
      queue: [{ id: 'q', draft: userMessage(VALUE) as never }],
      assessments: { a: { risk: 'HIGH', reasons: [`it prints ${VALUE}`] } },
    },
  });
  expect(await stored()).not.toContain(VALUE);
  expect(state.title).toBe(`about ${SECRET_MASK}`);
});

test('P9: the metadata of the creator is masked at rest and on its way out', async () => {
  const masker = plainMasker(VALUE);
  const { state, stored } = await open(masker);
  const meta = { user_id: VALUE, observability_metadata: { team: `of ${VALUE}` }, observability_tags: [VALUE] };
  await state.update({ set: { extra: { baseState: {}, meta } } });
  expect(await stored()).not.toContain(VALUE);
  expect(JSON.stringify(state.fields.extra)).not.toContain(VALUE);
  expect(state.fields.extra.meta['user_id']).toBe(SECRET_MASK);
});

test('P9: a goal is masked except for its status', async () => {
  const { state, stored } = await open(plainMasker(VALUE));
  const goal = {
    active: true,
    status: 'running',
    iteration: 1,
    max_iterations: 2,
    objective: `rotate ${VALUE}`,
  } as const;
  await state.update({ set: { goal: { ...goal, verdict: { score: 0.5, complete: false, missing: VALUE } } } });
  expect(await stored()).not.toContain(VALUE);
  expect(state.goal).toEqual({
    ...goal,
    objective: `rotate ${SECRET_MASK}`,
    verdict: { score: 0.5, complete: false, missing: SECRET_MASK },
  });
  const named = await open(plainMasker('interrupted'));
  await named.state.update({ set: { goal: { ...goal, active: false, status: 'interrupted' } } });
  expect(named.state.goal?.status).toBe('interrupted');
});

test('P9: descriptions of agents and secrets are masked, ciphertext is not', async () => {
  const { state } = await open(plainMasker(VALUE));
  const sources = {
    A: { kind: 'StaticSecret', description: `like ${VALUE}`, value: `token-${VALUE}` },
    B: { kind: 'New' },
  };
  await state.update({
    set: { secretRegistry: { secret_sources: sources }, agent: { system_prompt: `use ${VALUE}` } },
  });
  expect(state.secretRegistry).toEqual({
    secret_sources: { A: { ...sources.A, description: `like ${SECRET_MASK}` }, B: { kind: 'New' } },
  });
  expect(state.agent).toEqual({ system_prompt: `use ${SECRET_MASK}` });
});

test('P9: an error of a subscriber is masked in its warning', async () => {
  const { state } = await open(plainMasker(VALUE));
  const warned = new Promise<Error>((resolve) => process.once('warning', resolve));
  state.subscribe({
    onEvent: () => {
      throw new Error(`no ${VALUE}`, { cause: new Error(VALUE) });
    },
  });
  await state.append([userMessage('hello')]);
  expect(inspect(await warned)).not.toContain(VALUE);
});

test('P9: the action that waits is the masked one', async () => {
  const { state } = await open(plainMasker(VALUE));
  await state.append([call]);
  const pending = await state.transaction((transaction) => transaction.pendingActions);
  expect(pending[0]?.action).toEqual({ kind: 'MCPToolAction', data: { key: SECRET_MASK } });
});

test('P9: data stored before a value was known stays unchanged and is masked on every way out', async () => {
  const masker = plainMasker();
  const { state, stored } = await open(masker);
  const seen: string[] = [];
  await state.append([userMessage(`my key is ${VALUE}`), call]);
  await state.update({ set: { title: `about ${VALUE}` } });
  masker.add(VALUE);
  const subscription = state.subscribe(
    { onEvent: (event) => void seen.push(JSON.stringify(event)) },
    { from: 0 as never },
  );
  await subscription.caughtUp(state.end.event);
  const outward = [
    seen,
    state.fields,
    await state.modelView(),
    await state.events.slice(),
    await state.events.at(0),
    await state.events.branch(),
    await Array.fromAsync(state.events),
    await state.conversationHistory(),
    state.pendingActions,
  ];
  expect(seen).toHaveLength(2);
  for (const way of outward) {
    expect(JSON.stringify(way)).toContain(SECRET_MASK);
    expect(JSON.stringify(way)).not.toContain(VALUE);
  }
  expect(await stored()).toContain(VALUE);
  expect((await state.events.at(0))?.id).toBe((await state.events.slice())[0]?.id);
});

test('P9: a task that was stored before a value was known is masked', async () => {
  const masker = plainMasker();
  const { state } = await open(masker);
  const task_list = [{ title: `rotate ${VALUE}`, notes: VALUE, status: 'todo' }] as const;
  const list = { kind: 'TaskTrackerObservation', command: 'plan', task_list } as const;
  await state.append([observation({ id: 'a', tool_name: 'task_tracker', tool_call_id: 'c' } as never, list)]);
  expect(state.taskList).toEqual(task_list);
  masker.add(VALUE);
  expect(state.taskList).toEqual([{ title: `rotate ${SECRET_MASK}`, notes: SECRET_MASK, status: 'todo' }]);
  expect(state.taskList).toBe(state.taskList);
});

test('P9: a masker that fails hides the whole text instead of letting it through', async () => {
  const failing: Masker = {
    version: 1,
    mask: () => {
      throw new Error('out of order');
    },
    stream: () => ({ write: () => '', end: () => '' }),
  };
  const { state, stored } = await open(failing);
  await state.append([agentError({ tool_name: 'x', tool_call_id: 'c' } as never, `it is ${VALUE}`)]);
  expect(await stored()).not.toContain(VALUE);
  const event = await state.events.at(0);
  expect(event && isEvent(event, 'AgentErrorEvent') && event.error).toBe(SECRET_MASK);
});

test('P6: a state that is opened with another masker folds to the same state', async () => {
  const journal = new MemoryJournal('memory', systemPlatform);
  const state = await ConversationState.open(journal, {}, { masker: plainMasker(VALUE) });
  await state.append([userMessage(VALUE), call]);
  const again = await ConversationState.open(journal, {});
  expect(again.fields).toEqual(state.fields);
});
