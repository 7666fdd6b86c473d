import { randomUUID } from 'node:crypto';
import { initialFields, type StatePatch } from '@conv/core';
import { drafts, stampEvent, textContent, type ActionEvent, type Event } from '@conv/core/events';
import { MemoryStore, type ConversationStore, type Journal, type NewCommit } from '@conv/core/store';
import { expect, test } from 'vitest';

import type { CommitObserver } from '../src/work/commit-observer.ts';
import { watchedStore } from '../src/work/watched-store.ts';

const id = randomUUID();
const fields = { ...initialFields, id };
const first: NewCommit = { id: randomUUID(), events: [], patch: { set: fields } };

class FailingAtClose extends MemoryStore {
  override async open(...told: Parameters<ConversationStore['open']>): Promise<Journal> {
    const journal = await super.open(...told);
    journal.close = async () => Promise.reject(new Error('not stored'));
    return journal;
  }
}

async function watched(
  store: ConversationStore,
  observer: CommitObserver,
): Promise<{ journal: Journal; told: unknown[] }> {
  const told: unknown[] = [];
  const report = (error: unknown, of: string): void => void told.push([(error as Error).message, of]);
  const journal = await watchedStore(store, observer, report).open(id, { owner: 'test' });
  return { journal, told };
}

test('an observer that throws fails neither an append nor the closing, and its errors are reported', async () => {
  const fail = (): never => {
    throw new Error('no spans');
  };
  const store = new MemoryStore();
  const { journal, told } = await watched(store, { statusChanged: fail, released: fail });
  expect((await journal.append(first, fields)).seq).toBe(0);
  await journal.close();
  expect(told).toEqual([
    ['no spans', id],
    ['no spans', id],
  ]);
});

test('an observer is told that a conversation was let go, even if its journal fails to close', async () => {
  const released: string[] = [];
  const { journal } = await watched(new FailingAtClose(), { released: (of) => void released.push(of) });
  await expect(journal.close()).rejects.toThrow('not stored');
  expect(released).toEqual([id]);
});

const commit = (events: readonly Event[], patch?: StatePatch): NewCommit => ({
  id: randomUUID(),
  events,
  ...(patch ? { patch } : {}),
});
const started = (...actions: readonly ActionEvent[]): NewCommit =>
  commit([], { add: { calls: Object.fromEntries(actions.map((each) => [each.id, 'started'])) } });
const stamp = () => ({ id: randomUUID(), timestamp: '2026-01-01T00:00:00.000000' });

/** An action whose call has the id that its model chose. */
function asked(tool: string, toolCallId: string): ActionEvent {
  const draft = drafts.action({
    tool_name: tool,
    tool_call_id: toolCallId,
    tool_call: { id: toolCallId, name: tool, arguments: '{}', origin: 'completion' },
    action: { kind: 'AnAction' },
    llm_response_id: 'answer',
  });
  return stampEvent(draft, stamp());
}

const done = (of: ActionEvent): Event =>
  stampEvent(drafts.observation(of, { kind: 'AResult', content: [textContent('Done.')] }), stamp());

/** A store in which an action is stored, whose conversation is closed. */
async function storeWith(action: ActionEvent): Promise<MemoryStore> {
  const store = new MemoryStore();
  const journal = await store.open(id, { owner: 'before' });
  await journal.append(first, fields);
  await journal.append(commit([action]), fields);
  await journal.close();
  return store;
}

/** An observer of tools that resolves `all` after so many ends of calls. */
function observedTools(ends: number): { observer: CommitObserver; seen: unknown[]; all: Promise<void> } {
  const seen: (readonly [string, string, string])[] = [];
  const { promise: all, resolve } = Promise.withResolvers<void>();
  const observer: CommitObserver = {
    toolStarted: (_, { tool }, { id: actionId }) => void seen.push(['started', tool, actionId]),
    toolEnded: (_, { tool, actionId }, outcome) => {
      seen.push([outcome, tool, actionId]);
      if (seen.filter(([what]) => what !== 'started').length === ends) resolve();
    },
  };
  return { observer, seen, all };
}

test('an observer hears in order of a call that was asked for before its conversation was opened', async () => {
  const old = asked('echo', 'call_1');
  const store = await storeWith(old);
  const { observer, seen, all } = observedTools(2);
  const { journal } = await watched(store, observer);
  const fresh = asked('think', 'call_2');
  await journal.append(started(old), fields);
  await journal.append(commit([done(old)]), fields);
  await journal.append(commit([fresh]), fields);
  await journal.append(started(fresh), fields);
  await journal.append(commit([stampEvent(drafts.agentError(fresh, 'no'), stamp())]), fields);
  await all;
  expect(seen).toEqual([
    ['started', 'echo', old.id],
    ['done', 'echo', old.id],
    ['started', 'think', fresh.id],
    ['failed', 'think', fresh.id],
  ]);
});

test('two calls for which a model chose one id are told apart', async () => {
  const { observer, seen, all } = observedTools(2);
  const { journal } = await watched(new MemoryStore(), observer);
  const [one, other] = [asked('echo', 'call'), asked('think', 'call')];
  await journal.append(first, fields);
  await journal.append(commit([one, other]), fields);
  await journal.append(started(one, other), fields);
  await journal.append(commit([done(one), done(other)]), fields);
  await all;
  expect(seen.slice(2)).toEqual([
    ['done', 'echo', one.id],
    ['done', 'think', other.id],
  ]);
});

test('an observer hears of a release after the calls that are still read', async () => {
  const old = asked('echo', 'call_1');
  const store = await storeWith(old);
  const seen: string[] = [];
  const { promise: all, resolve } = Promise.withResolvers<void>();
  const released = (): void => {
    seen.push('released');
    resolve();
  };
  const { journal } = await watched(store, { statusChanged: (_, status) => void seen.push(status), released });
  await journal.append(started(old), fields);
  await journal.close();
  await all;
  expect(seen).toEqual(['idle', 'released']);
});
