import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { ConversationState, foldJournal, initialFields, type ReadonlyState } from '@conv/core';
import { eventGuards, isEvent, type EventDraft } from '@conv/core/events';
import { eventsToMessages } from '@conv/openhands/messages';
import { MemoryStore, type Commit } from '@conv/core/store';

import { openLocalConversation, type LocalConversation } from '../../src/index.ts';
import { open } from '../support/bench.ts';
import { anyLife, record, type Recording } from '../support/recorded-life.ts';
import { ScriptedAgent } from '../support/scripted-agent.ts';

/** A store that holds the first commits of a life: what a process leaves behind that dies right after the last of them. */
async function storeOf(id: string, commits: readonly Commit[]): Promise<MemoryStore> {
  const store = new MemoryStore();
  const journal = await store.open(id, { owner: 'the dead' });
  for (const { id: commitId, events, patch, records } of commits) {
    const rest = { ...(patch ? { patch } : {}), ...(records ? { records } : {}) };
    await journal.append({ id: commitId, events, ...rest }, initialFields);
  }
  await journal.close();
  return store;
}

/** Every call of the view has exactly one result, directly behind its message, in the order of the calls. */
async function expectValidView(conversation: LocalConversation): Promise<void> {
  const messages = eventsToMessages(await conversation.state.modelView());
  messages.forEach((message, at) => {
    const calls = (message.tool_calls ?? []).map(({ id }) => id);
    const answers = messages.slice(at + 1, at + 1 + calls.length);
    expect(answers.map((answer) => answer.tool_call_id)).toEqual(calls);
  });
  const results = messages.filter(({ role }) => role === 'tool');
  expect(results).toHaveLength(messages.flatMap(({ tool_calls: calls }) => calls ?? []).length);
}

/** The state that the events alone give, without a store and without what patches said. */
async function expectEventsToSay(conversation: LocalConversation): Promise<void> {
  const alone = new ConversationState();
  for (const event of await conversation.events.slice()) await alone.append([event as EventDraft]);
  const said = ({
    executionStatus,
    pendingActions,
    iteration,
    leafEventId,
    lastUserMessageId,
  }: ReadonlyState): unknown => ({
    executionStatus,
    pending: pendingActions.map(({ id }) => id),
    iteration,
    leafEventId,
    lastUserMessageId,
  });
  expect(said(conversation.state)).toEqual(said(alone));
}

async function reopenAt({ id, commits, begun }: Recording, length: number): Promise<void> {
  const prefix = commits.slice(0, length);
  const store = await storeOf(id, prefix);
  const before = await foldJournal((await store.read(id)) as never);
  const agent = new ScriptedAgent();
  const conversation = await open(store, { agent, id });

  const events = await conversation.events.slice();
  const stored = prefix.flatMap((commit) => commit.events);
  expect(events.slice(0, stored.length)).toEqual(stored);
  const { state } = conversation;
  const { pendingActions } = state;

  // no setting is weaker, and the state is the fold of the log
  expect(state.confirmationPolicy).toEqual(before.fields.confirmationPolicy);
  expect((await foldJournal((await store.read(id)) as never)).fields).toEqual(state.fields);
  expect(state.executionStatus).not.toBe('running');
  expect(Object.values(state.calls)).not.toContain('started');
  expect(state.calls).toEqual(before.fields.executionStatus === 'running' ? {} : before.fields.calls);

  // what had started has a result that says so; what may have begun is not pending; the rest is
  const results = events.filter(eventGuards.isObservationLike);
  const started = events
    .filter((event) => isEvent(event, 'ActionEvent'))
    .filter(({ id: action }) => before.fields.calls[action] === 'started');
  for (const { tool_call_id: callId } of started) {
    const result = results.find((candidate) => candidate.tool_call_id === callId);
    expect(result).toMatchObject({
      kind: 'AgentErrorEvent',
      error: expect.stringContaining('outcome is unknown') as string,
    });
  }
  const mayHaveBegun = begun.filter(({ after }) => after <= length).map(({ callId }) => callId);
  for (const { tool_call_id: callId } of pendingActions) expect(mayHaveBegun).not.toContain(callId);
  const answered = new Set(results.map((result) => result.tool_call_id));
  for (const callId of mayHaveBegun) expect(answered).toContain(callId);

  // nothing runs unasked, and a run completes without a second beginning of anything
  await expectEventsToSay(conversation);
  await expectValidView(conversation);
  expect([agent.begun, agent.requests]).toEqual([[], 0]);
  const approved = Object.keys(state.calls).length;
  const first = (await conversation.run()).status;
  expect(first === 'waiting_for_confirmation').toBe(approved > 0 && approved < pendingActions.length);
  const { status } = await conversation.run();
  expect(status).toBe(state.leafEventId === null ? before.fields.executionStatus : 'finished');
  for (const callId of agent.begun) expect(mayHaveBegun).not.toContain(callId);
  expect(conversation.state.pendingActions).toEqual([]);
  expect(conversation.state.queue).toEqual([]);
  await expectEventsToSay(conversation);
  await expectValidView(conversation);
  await conversation.close();
}

describe('P4, P5, P6: after a death at any commit of any life', () => {
  test(
    'P4, P5, P6: the conversation opens at rest, knows what may have run, and goes on',
    { timeout: 60_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(anyLife, async (life) => {
          const recording = await record(life);
          for (let length = 1; length <= recording.commits.length; length++) await reopenAt(recording, length);
        }),
        { numRuns: 60 },
      );
    },
  );

  test('opening again at rest changes nothing', async () => {
    const { id, commits } = await record({ answers: [['work', 'work']], during: [], between: ['always', 'title'] });
    const store = await storeOf(id, commits.slice(0, 5));
    const agent = new ScriptedAgent();
    await (await open(store, { agent, id })).close();
    const settled = (await store.read(id))?.end;
    await (await openLocalConversation({ storeAt: () => store }, { store, agent, id })).close();
    expect((await store.read(id))?.end).toEqual(settled);
  });
});
