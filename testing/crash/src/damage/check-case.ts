import { isDeepStrictEqual } from 'node:util';

import { policies, projections, ConversationState, isConversationError, type StateFields } from '@conv/core';
import { isEvent, type Event } from '@conv/core/events';
import { isStoreError, type ConversationStore, type Damage, type JournalReader } from '@conv/core/store';

import type { DamageTarget, Harm, Recording } from './target.ts';

/** The findings of one case, and how it ended. */
export interface CaseResult {
  readonly ended: 'opened' | 'refused';
  readonly found: readonly string[];
}

/** Opens a damaged conversation as a reader and as an owner, and compares it with the acknowledged data. */
export async function checkCase(
  target: DamageTarget,
  recording: Recording,
  harms: readonly Harm[],
  forks: boolean,
): Promise<CaseResult> {
  const found: string[] = [];
  const ends = new Set<string>();
  for (const look of forks ? [asReader, asFork, asOwner] : [asReader, asOwner]) {
    const store = await target.restore(recording, harms);
    try {
      for (const line of await look(store, target, recording, harms)) found.push(`${look.name}: ${line}`);
      ends.add('opened');
    } catch (error) {
      ends.add('refused');
      const reason = refusal(error);
      if (reason !== undefined) found.push(`${look.name}: ${reason}`);
    } finally {
      await store.close();
    }
  }
  return { ended: ends.has('opened') ? 'opened' : 'refused', found };
}

/** Returns the flaw of the error with which a harmed conversation is refused; `undefined` without a flaw. */
function refusal(error: unknown): string | undefined {
  if (!isStoreError(error) && !isConversationError(error)) return `untyped ${String(error)}`;
  const stored = isConversationError(error) ? error.cause : error;
  const hides =
    isStoreError(stored, 'UNAVAILABLE') || isStoreError(stored, 'NOT_FOUND') || isStoreError(stored, 'OWNED');
  return hides ? `damage is not called by its name: ${error.message}` : undefined;
}

type Look = (
  store: ConversationStore,
  target: DamageTarget,
  recording: Recording,
  harms: readonly Harm[],
) => Promise<string[]>;

const asReader: Look = async (store, target, recording, harms) => {
  const reader = await store.read(recording.life.id);
  if (!reader) return ['a conversation that was stored is not there'];
  const { found, whole } = await compareCommits(reader, target, recording, harms);
  const { fields } = await projections.readState(reader);
  found.push(...compareSettings(fields, recording, harms));
  found.push(...named(reader.damage, whole, target, recording, harms));
  return [...found, ...(await compareLocated(reader, whole, recording))];
};

/** Events are found by their ids. */
async function compareLocated(
  reader: JournalReader,
  whole: ReadonlySet<number>,
  { life: { commits } }: Recording,
): Promise<string[]> {
  const found: string[] = [];
  for (const { seq, firstEvent, events } of commits.filter(
    ({ seq }) => whole.has(seq) && seq % 3 === commits.length % 3,
  )) {
    const [event] = events;
    const at = event && (await reader.locate(event.id));
    if (at !== (event && firstEvent)) found.push(`event ${firstEvent} of commit ${seq} is located at ${String(at)}`);
  }
  return found;
}

const asFork: Look = async (store, target, recording, harms) => {
  const fork = '00000000-0000-4000-8000-0000000000f0';
  await store.fork(recording.life.id, fork, { patch: { set: { id: fork } } });
  const state = await ConversationState.open(await store.open(fork, { owner: 'fork' }));
  const found = compareSettings(state.fields, recording, harms);
  await state.close();
  return found;
};

const asOwner: Look = async (store, target, recording, harms) => {
  const journal = await store.open(recording.life.id, { owner: 'checker', create: 'never' });
  const { found, whole } = await compareCommits(journal, target, recording, harms);
  const state = await ConversationState.open(journal);
  const view = await state.modelView();
  found.push(...compareSettings(state.fields, recording, harms));
  found.push(...named(state.damage, whole, target, recording, harms));
  found.push(...compareView(view, state.damage, recording, unproven(target, recording, harms)));
  if (target.destroyed(recording, harms).size === 0 && harms.length === 1)
    found.push(...compareFields(state.fields, recording));
  await state.close();
  return found;
};

/** Checks that whole commits read back equal. */
async function compareCommits(
  reader: JournalReader,
  target: DamageTarget,
  recording: Recording,
  harms: readonly Harm[],
): Promise<{ readonly found: string[]; readonly whole: ReadonlySet<number> }> {
  const destroyed = target.destroyed(recording, harms);
  const whole = new Set<number>();
  const read = new Map<number, unknown>();
  for await (const { seq, id, events, patch } of reader.commits()) read.set(seq, { id, events, patch });
  const all = recording.life.commits.flatMap(({ events }) => events);
  const found: string[] = [];
  for (const { seq, id, events, patch } of recording.life.commits) {
    const now = read.get(seq) as { events: readonly Event[] } | undefined;
    const isEqual = isDeepStrictEqual(now, { id, events, patch });
    if (isEqual) whole.add(seq);
    if (!destroyed.has(seq)) {
      if (!isEqual) found.push(`commit ${seq} does not read back equal`);
    } else if (harms.length === 1 && now?.events.some((event) => !all.some((one) => isDeepStrictEqual(one, event))))
      found.push(`commit ${seq} was restored with events that were never stored`);
  }
  return { found, whole };
}

/**
 * Checks that lost commits are named, and no others. `whole` holds the commits that read back equal, also because they were
 * restored.
 */
function named(
  damage: readonly Damage[],
  whole: ReadonlySet<number>,
  target: DamageTarget,
  recording: Recording,
  harms: readonly Harm[],
): string[] {
  const isNamed = (seq: number): boolean => damage.some(({ from, to }) => from <= seq && seq <= to);
  const destroyed = target.destroyed(recording, harms);
  const silent = [...target.provenLost(recording, harms)].filter((seq) => !isNamed(seq) && !whole.has(seq));
  const { commits } = recording.life;
  const wrong = commits.filter(({ seq }) => isNamed(seq) && !destroyed.has(seq)).map(({ seq }) => seq);
  return [
    ...(silent.length > 0 ? [`lost commits ${silent.join(', ')} are not named`] : []),
    ...(wrong.length > 0 ? [`commits ${wrong.join(', ')} are named and are whole`] : []),
  ];
}

/** Checks that no setting is weaker. After two faults, a conversation that asks before everything is strict enough. */
function compareSettings(now: StateFields, { life }: Recording, harms: readonly Harm[]): string[] {
  const { fields: then } = life;
  const asks = now.damaged && now.confirmationPolicy['kind'] === 'AlwaysConfirm';
  if (harms.length > 1 && asks) return [];
  const weaker: string[] = [];
  const policy = policies.stricter(then.confirmationPolicy, now.confirmationPolicy);
  if (!isDeepStrictEqual(policy, now.confirmationPolicy)) weaker.push('confirmationPolicy');
  if (then.securityAnalyzer !== null && now.securityAnalyzer === null) weaker.push('securityAnalyzer');
  if (then.hookConfig !== null && !isDeepStrictEqual(now.hookConfig, then.hookConfig)) weaker.push('hookConfig');
  if (then.stuckDetection && !now.stuckDetection) weaker.push('stuckDetection');
  for (const limit of ['maxIterations', 'maxBudget', 'maxBudgetPerRun', 'toolTimeout'] as const)
    if ((now[limit] ?? Infinity) > (then[limit] ?? Infinity)) weaker.push(limit);
  return weaker.map((name) => `${name} is weaker`);
}

/**
 * Checks that every event missing from the view is named, and that no call lacks a result. A result goes with its call. A call
 * whose result is lost without a trace is open again, and is hidden until a person has decided on it.
 */
function compareView(
  view: readonly Event[],
  damage: readonly Damage[],
  { life }: Recording,
  unknown: ReadonlySet<number>,
): string[] {
  const shown = new Set(view.map(({ id }) => id));
  const seqOf = (id: string): number | undefined =>
    life.commits.find(({ events }) => events.some((event) => event.id === id))?.seq;
  const isUnknown = (id: string): boolean => unknown.has(seqOf(id) ?? -1);
  const isNamed = (id: string): boolean => {
    const seq = seqOf(id);
    return seq !== undefined && (unknown.has(seq) || damage.some(({ from, to }) => from <= seq && seq <= to));
  };
  const isOpenAgain = ({ id }: Event): boolean =>
    life.view.some((event) => isEvent(event, 'ObservationEvent') && event.action_id === id && isUnknown(event.id));
  const silent = life.view.filter((event) => {
    const call = isEvent(event, 'ObservationEvent') ? event.action_id : event.id;
    return !shown.has(event.id) && !isNamed(event.id) && !isNamed(call) && !isOpenAgain(event);
  });
  return silent.map(({ kind, id }) => `the model reads no ${kind} ${id}, and no damage says so`);
}

/** Returns the commits that are lost without a trace: the newest commits, if the only object that held them is missing. */
function unproven(target: DamageTarget, recording: Recording, harms: readonly Harm[]): ReadonlySet<number> {
  const proven = target.provenLost(recording, harms);
  return new Set([...target.destroyed(recording, harms)].filter((seq) => !proven.has(seq)));
}

/** Checks that the state is unchanged if no commit is lost. */
function compareFields(now: StateFields, { life }: Recording): string[] {
  const changed = Object.keys(life.fields).filter(
    (name) => !isDeepStrictEqual(now[name as keyof StateFields], life.fields[name as keyof StateFields]),
  );
  return changed.length > 0 ? [`nothing is lost, and these changed: ${changed.join(', ')}`] : [];
}
