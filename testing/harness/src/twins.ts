import { randomUUID } from 'node:crypto';
import { ConversationState, projections, type StateFields } from '@conv/core';
import { isEvent, userMessage, type Event } from '@conv/core/events';
import type { ConversationStore, Finding } from '@conv/core/store';
import { messageText } from './check-messages.ts';

/** Two closed conversations of as many commits, whose records have the same sizes. Only texts and settings differ. */
export interface Twins {
  /** The id of the conversation under AlwaysConfirm, with a limit of 5 iterations. Its texts begin with `strict`. */
  readonly strict: string;
  /** The id of the conversation under NeverConfirm, with a limit of 9 iterations. Its texts begin with `lax---`. */
  readonly lax: string;
}

/** Makes twins of so many messages. The commit behind commit 0 has the settings. */
export async function makeTwins(store: ConversationStore, messages: number, size = 16): Promise<Twins> {
  const [strict, lax] = [randomUUID(), randomUUID()];
  for (const [id, name, kind, maxIterations] of [
    [strict, 'strict', 'AlwaysConfirm', 5],
    [lax, 'lax---', 'NeverConfirm', 9],
  ] as const) {
    const state = await ConversationState.open(await store.open(id, { owner: 'twin' }), { id });
    await state.update({ set: { confirmationPolicy: { kind }, maxIterations, title: `${name} title` } });
    for (let at = 0; at < messages; at++) await state.append([userMessage(`${name} ${at}`.padEnd(size))]);
    await state.close();
  }
  return { strict, lax };
}

/** A conversation as a reader and `check` show it. */
export interface Seen {
  /** The first word of each message. */
  readonly words: readonly string[];
  /** The numbers of the lost commits. */
  readonly lost: readonly number[];
  readonly fields: StateFields;
  /** The part and severity of each finding of `check`. */
  readonly findings: readonly string[];
}

/** Reads a conversation from its beginning, its state as it is opened, and what `check` says of it. */
export async function see(store: ConversationStore, id: string): Promise<Seen> {
  const reader = await store.read(id);
  if (!reader) throw new Error(`${id} is not there`);
  const { fields } = await projections.readState(reader);
  const events: Event[] = [];
  for await (const commit of reader.commits()) events.push(...commit.events);
  const lost = reader.damage.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, at) => from + at));
  await reader.close();
  const { findings } = await store.check(id);
  const words = events
    .filter((event) => isEvent(event, 'MessageEvent'))
    .flatMap((event) => messageText(event).split(' ', 1));
  return { words, lost, fields, findings: findings.map(({ part, severity }: Finding) => `${part} ${severity}`) };
}

/** Sees a conversation, repairs it, and sees it again. `repaired`: for each finding of the repair, if it was repaired. */
export async function seeRepaired(
  store: ConversationStore,
  id: string,
): Promise<{ readonly seen: Seen; readonly repaired: readonly boolean[]; readonly after: Seen }> {
  const seen = await see(store, id);
  const { findings } = await store.check(id, { repair: true });
  return { seen, repaired: findings.map(({ repaired }) => repaired), after: await see(store, id) };
}
