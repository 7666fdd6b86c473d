import { randomUUID } from 'node:crypto';
import { ConversationState, initialFields, type JsonObject } from '@conv/core';
import { drafts, type Event, parseEvent } from '@conv/core/events';
import type { CallRecord, ConversationStore } from '@conv/core/store';
import { eventId, turnEvent } from './turn-event.ts';

/** Events of a commit: a call and its result, and more of them in long logs, which are filled in less time. */
const [FEW, MANY] = [2, 200];

/** Commits that are appended at the same time. */
const IN_FLIGHT = 16;

/** Options of {@link fillLog}. */
export interface FillOptions {
  readonly count: number;
  readonly id?: string;
  readonly title?: string;
  readonly workingDir?: string;
  /** The agent as the wire describes it. */
  readonly agent?: JsonObject;
  /** Events that follow the generated events, as the wire has them, without id, time and parent. */
  readonly more?: readonly JsonObject[];
}

/** Stores a conversation with a generated log of turns, calls, changes of files and errors. Resolves with its id. */
export async function fillLog(store: ConversationStore, options: FillOptions): Promise<string> {
  const { count, id = randomUUID(), title = 'A generated conversation', workingDir = '/work', more = [] } = options;
  const agent = options.agent ?? { kind: 'Agent', llm: { model: 'scripted-model' }, tools: [] };
  const workspace = { kind: 'LocalWorkspace', workingDir };
  const state = await ConversationState.open(await store.open(id, { owner: 'fill' }), { id, agent, workspace, title });
  if (count + more.length === 0) await state.append([drafts.pause()]);
  await state.close();
  const journal = await store.open(id, { owner: 'fill', create: 'never' });
  const size = count > 5_000 ? MANY : FEW;
  const end = count + more.length;
  let flying: Promise<unknown>[] = [];
  for (let from = 0; from < end; from += size) {
    const events: Event[] = [];
    for (let index = from; index < Math.min(end, from + size); index++)
      events.push(eventAt(index, more[index - count] ?? turnEvent(index)));
    const leafEventId = events.at(-1)?.id ?? null;
    const commit = { id: randomUUID(), events, records: [recordAt(from)] };
    flying.push(journal.append(commit, { ...initialFields, leafEventId }));
    if (flying.length < IN_FLIGHT) continue;
    await Promise.all(flying);
    flying = [];
  }
  await Promise.all(flying);
  await journal.close();
  // leaves a snapshot, as a server does when it closes a conversation
  await (await ConversationState.open(await store.open(id, { owner: 'fill', create: 'never' }))).close();
  return id;
}

function eventAt(index: number, fields: JsonObject): Event {
  const parent = index === 0 ? {} : { parent_id: eventId(index - 1) };
  return parseEvent({ id: eventId(index), timestamp: timeOf(index), ...parent, ...fields });
}

function timeOf(index: number): string {
  return new Date(Date.UTC(2026, 10, 20, 9) + index * 700).toISOString().replace('Z', '000');
}

function recordAt(index: number): CallRecord {
  return {
    kind: 'model_call',
    usageId: 'agent',
    model: 'scripted-model',
    cost: 0.01,
    promptTokens: 1200 + index,
    completionTokens: 90,
    cacheReadTokens: 1000,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
    contextWindow: 200_000,
    latency: 1.4,
    responseId: `response-${index}`,
    timestamp: Date.UTC(2026, 10, 20, 9) / 1000 + index,
  };
}
