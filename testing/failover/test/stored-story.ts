import { randomUUID } from 'node:crypto';

import { projections, type StatePatch } from '@conv/core';
import { drafts, localTimestamp, stampEvent, type ActionEvent, type Event, type EventDraft } from '@conv/core/events';
import { MemoryStore } from '@conv/core/store';
import { readLog, type LogImage } from '@conv/testing-harness';

import { Witness } from '../src/model/witness.ts';

/** Steps that one owner of a conversation stored, each a commit. */
export type Reign = readonly { readonly at?: number; readonly events?: readonly Event[]; readonly status?: string }[];

/** An event as it is stored; `at` in epoch milliseconds. */
export function stored<Draft extends EventDraft>(draft: Draft, at = Date.now()): Event {
  return stampEvent(draft, { id: randomUUID(), timestamp: localTimestamp(at), parentId: null });
}

/** A call of a command with this mark. */
export function callOf(mark: string, at?: number): ActionEvent {
  const command = new Witness('/witness').command(mark, 0);
  const id = randomUUID();
  const draft = drafts.action({
    tool_name: 'terminal',
    tool_call_id: id,
    tool_call: { id, name: 'terminal', arguments: JSON.stringify({ command }), origin: 'completion' },
    llm_response_id: id,
    action: { command, kind: 'TerminalAction' },
  });
  return stored(draft, at) as ActionEvent;
}

/** Returns the result of a command. */
export function endOf(call: ActionEvent, exitCode = 0): Event {
  return stored(drafts.observation(call, { command: 'echo', exit_code: exitCode, kind: 'TerminalObservation' }));
}

/** Returns the result of a call that failed outside its tool. */
export function failureOf(call: ActionEvent, reason: string): Event {
  return stored(drafts.agentError(call, reason));
}

/** A log that was written by these owners, one after the other. */
export async function logOf(...reigns: readonly Reign[]): Promise<LogImage> {
  const store = new MemoryStore();
  const id = randomUUID();
  let projection = projections.empty;
  for (const [owner, reign] of reigns.entries()) {
    const journal = await store.open(id, { owner: `owner ${owner}` });
    for (const { events = [], status } of reign) {
      const patch = status === undefined ? {} : { patch: { set: { executionStatus: status } } as StatePatch };
      const commit = await journal.append({ id: randomUUID(), events, ...patch }, projection.fields);
      projection = await projections.foldCommit(journal, projection, commit);
    }
    await journal.close();
  }
  const reader = await store.read(id);
  if (!reader) throw new Error('it is not there');
  return readLog(reader);
}
