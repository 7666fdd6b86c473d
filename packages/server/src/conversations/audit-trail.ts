import { checkOptionNames, type JsonObject, type OptionNames, type StateFields, type StatePatch } from '@conv/core';
import { isEvent, type ActionEvent, type Event, type EventOfKind } from '@conv/core/events';
import type { Commit, ConversationStore } from '@conv/core/store';
import { decisionIn, EXPIRED, type NamedDecision, SUPERSEDED } from '@conv/local/log';
import { listPages } from '@conv/store-kit';
import type { Registry } from '@conv/store-kit/registry';

import { readKeyUses, type KeyUse } from '../auth/key-uses.ts';
import { useIn } from '../usage/conversation-use.ts';
import { runStartIn } from '../usage/run-start.ts';
import { checkGivenStore } from './check-store.ts';
import { ownerIn } from './owner.ts';

/** An action of a decision. */
export interface AuditedAction {
  /** Id of its event. */
  readonly id: string;
  /** Null if the commit with the action is lost. */
  readonly tool: string | null;
  /** The risk that the policy decided on if a person was asked, else the risk that the model declared. */
  readonly risk: string;
  /** Reasons of the analyzer. */
  readonly reasons: readonly string[];
}

/** A decision on risk or a use of a key, as a commit of a conversation has it; or a use of a key that no log has. */
export interface AuditEntry {
  /** Null for a request about no conversation. */
  readonly conversation: string | null;
  /** Number of the commit; null for a request that no log has, such as the deletion of one. */
  readonly commit: number | null;
  /**
   * `held`: a person was asked. `allowed`: the policy let it run. `blocked`: a hook refused it. `superseded`: its user sent a message
   * instead of a decision. `expired`: no person decided in time. `policy`: another policy or analyzer holds from now on. `started`: a key started the conversation. `run`: a key was about
   * to start a run. `used`: a key made another request that changes something.
   */
  readonly decision:
    | 'held'
    | 'allowed'
    | 'approved'
    | 'rejected'
    | 'blocked'
    | 'superseded'
    | 'expired'
    | 'policy'
    | 'started'
    | 'run'
    | 'used';
  /** Name of the key that approved, rejected, started, ran or used; null for keys of the configuration, and for all other decisions. */
  readonly by: string | null;
  /** The operation of a use, as the OpenAPI document names it. */
  readonly route?: string;
  /** Actions that were decided; none for `policy`. */
  readonly actions: readonly AuditedAction[];
  /** Kinds of the policy and the analyzer that were set. */
  readonly set?: { readonly policy?: string; readonly analyzer?: string | null };
  /**
   * Time of the commit, ISO 8601: as its server recorded it, else of its newest event. Null for neither: then it is between `after` and `before`.
   */
  readonly at: string | null;
  /** Time of the newest event up to the decision, ISO 8601; null for none. */
  readonly after: string | null;
  /** Time of the first event behind the decision; null for none. */
  readonly before: string | null;
}

/** Options of {@link auditTrail}. */
export interface AuditTrailOptions {
  /** Only this conversation. Default: all, by their creation. */
  readonly conversation?: string;
  /** Only entries of the key with this name. */
  readonly key?: string;
  /** Only entries of this time or later, ISO 8601. */
  readonly from?: string;
  /** Only entries before this time, ISO 8601. */
  readonly until?: string;
  /** The registry of the servers, whose uses of keys follow the logs. Default: the logs alone. */
  readonly registry?: Registry;
}

const NAMES: OptionNames<AuditTrailOptions> = {
  conversation: true,
  key: true,
  from: true,
  until: true,
  registry: true,
};

/**
 * Yields the decisions on risk in the logs of a store: actions that were held back, allowed, approved and rejected, by whom, each change of
 * the policy, and what named keys did. They are folded from the commits, so none can be left out or added later. A fork has the decisions of its source, too.
 */
export async function* auditTrail(
  store: ConversationStore,
  options: AuditTrailOptions = {},
): AsyncGenerator<AuditEntry, void, undefined> {
  checkOptionNames('auditTrail', options, NAMES);
  checkGivenStore('auditTrail', store);
  const { conversation, registry } = options;
  if (conversation !== undefined) yield* auditOf(store, conversation, options);
  else
    for await (const items of listPages(store, { sortBy: 'createdAt', order: 'ascending' }))
      for (const { id } of items) yield* auditOf(store, id, options);
  if (registry) for await (const use of readKeyUses(registry)) yield* wanted(entryOf(use), options);
}

/** Which entries are wanted. */
export type AuditFilter = Pick<AuditTrailOptions, 'conversation' | 'key' | 'from' | 'until'>;

/** Yields the wanted entries of one log. */
export async function* auditOf(store: ConversationStore, id: string, filter: AuditFilter): AsyncGenerator<AuditEntry> {
  for await (const entry of trailOf(store, id)) yield* wanted(entry, { ...filter, conversation: id });
}

/** Yields the entry if it is wanted. An entry without a time of its own has the time of the event before it. */
export function* wanted(entry: AuditEntry, { conversation, key, from, until }: AuditFilter): Generator<AuditEntry> {
  const time = Date.parse(entry.at ?? entry.after ?? '');
  if (conversation !== undefined && entry.conversation !== conversation) return;
  if (key !== undefined && entry.by !== key) return;
  if (from !== undefined && !(time >= Date.parse(from))) return;
  if (until !== undefined && !(time < Date.parse(until))) return;
  yield entry;
}

/** Returns a use of a key that no log has as an entry. */
export function entryOf({ conversation, by, at, route }: KeyUse): AuditEntry {
  return { conversation, commit: null, decision: 'used', by, route, actions: [], at, after: null, before: null };
}

async function* trailOf(store: ConversationStore, id: string): AsyncGenerator<AuditEntry, void, undefined> {
  const reader = await store.read(id);
  if (!reader) return;
  const trail = new Trail(id);
  try {
    for await (const commit of reader.commits()) yield* trail.add(commit);
    yield* trail.end();
  } finally {
    await reader.close();
  }
}

type Decided = Omit<AuditEntry, 'before'>;

type Used = Pick<AuditEntry, 'decision' | 'by' | 'actions'> & Partial<Pick<AuditEntry, 'at' | 'route'>>;

/** Folds the commits of a log into its decisions. A decision waits for the first event behind it, which tells until when it was made. */
class Trail {
  readonly #conversation: string;
  /** Actions without a result. */
  readonly #open = new Map<string, AuditedAction>();
  /** The calls of the model that they are. */
  readonly #calls = new Map<string, string>();
  /** The newest decision on each of them. */
  readonly #decisions = new Map<string, AuditEntry['decision']>();
  #waiting: Decided[] = [];
  #after: string | null = null;
  /** Ids of the newest run and use that were told. */
  readonly #told = new Set<string>();

  constructor(conversation: string) {
    this.#conversation = conversation;
  }

  *add(commit: Commit): Generator<AuditEntry> {
    for (const event of commit.events) {
      yield* this.#release(event.timestamp);
      this.#after = event.timestamp;
      if (!isEvent(event, 'ActionEvent')) continue;
      this.#open.set(event.id, declared(event));
      this.#calls.set(event.id, event.tool_call_id);
    }
    const answered = new Set(commit.events.flatMap((event) => this.#answeredBy(event) ?? []));
    this.#waiting.push(...this.#decisionsIn(commit, answered));
    for (const id of answered) this.#close(id);
  }

  /** Returns the id of the action whose result an event is. */
  #answeredBy(event: Event): string | undefined {
    if (isEvent(event, 'ObservationEvent') || isEvent(event, 'UserRejectObservation')) return event.action_id;
    if (!isEvent(event, 'AgentErrorEvent')) return undefined;
    return [...this.#calls].find(([, call]) => call === event.tool_call_id)?.[0];
  }

  *end(): Generator<AuditEntry> {
    yield* this.#release(null);
  }

  *#release(before: string | null): Generator<AuditEntry> {
    for (const decided of this.#waiting) yield { ...decided, before };
    this.#waiting = [];
  }

  *#decisionsIn({ seq, events, patch }: Commit, answered: ReadonlySet<string>): Generator<Decided> {
    const named = decisionIn(patch?.set?.extra?.meta ?? {});
    const at = events.at(-1)?.timestamp ?? null;
    const common = { conversation: this.#conversation, commit: seq, after: this.#after, by: null, at };
    const decided = { by: named.by ?? null, at: named.at ?? at };
    yield* this.#usesIn(patch, seq).map((use) => ({ ...common, ...use }));
    const set = seq === 0 ? undefined : policyIn(patch);
    if (set) yield { ...common, decision: 'policy', actions: [], set };
    const held = this.#heldBy(patch, answered);
    if (held.length > 0) yield { ...common, decision: 'held', actions: held };
    const permitted = { ...patch?.set?.calls, ...patch?.add?.calls };
    for (const decision of ['allowed', 'approved'] as const) {
      const ids = Object.keys(permitted).filter((id) => this.#permission(id, permitted[id]) === decision);
      const actions = ids.map((id) => this.#decide(id, decision));
      if (actions.length > 0) yield { ...common, decision, ...(decision === 'approved' ? decided : {}), actions };
    }
    const rejections = events.filter((event) => isEvent(event, 'UserRejectObservation'));
    for (const decision of ['rejected', 'blocked', 'superseded', 'expired'] as const) {
      const rejected = rejections.filter((event) => rejectionOf(event, named) === decision);
      const actions = rejected.map((event) => this.#decide(event.action_id, decision));
      if (actions.length > 0) yield { ...common, decision, ...(decision === 'rejected' ? decided : {}), actions };
    }
  }

  /** Returns the uses of keys that a commit is the first to tell. */
  #usesIn(patch: StatePatch | undefined, seq: number): readonly Used[] {
    const extra = patch?.set?.extra;
    if (!extra) return [];
    const owner = seq === 0 ? ownerIn({ extra }) : null;
    const [run, use] = [runStartIn(extra.meta), useIn(extra.meta)];
    const isNew = (id: string | undefined): boolean => id !== undefined && !this.#told.has(id) && !!this.#told.add(id);
    return [
      ...(owner === null ? [] : [{ decision: 'started', by: owner, actions: [] } as const]),
      ...(run && isNew(run.id) ? [{ decision: 'run', by: run.by, at: run.at, actions: [] } as const] : []),
      ...(use && isNew(use.id)
        ? [{ decision: 'used', by: use.by, at: use.at, route: use.route, actions: [] } as const]
        : []),
    ];
  }

  /** Returns the actions about which a person is asked from this commit on. Without an analyzer only the status tells it. */
  #heldBy(patch: StatePatch | undefined, answered: ReadonlySet<string>): readonly AuditedAction[] {
    const assessments = patch?.add?.assessments ?? {};
    const isAsked = patch?.set?.executionStatus === 'waiting_for_confirmation';
    const open = isAsked ? [...this.#open.keys()] : [];
    const undecided = open.filter((id) => !this.#decisions.has(id) && !answered.has(id));
    return Array.from(new Set([...Object.keys(assessments), ...undecided]), (id) => {
      this.#open.set(id, { ...this.#actionOf(id), ...assessments[id] });
      return this.#decide(id, 'held');
    });
  }

  /** Returns the decision that a phase of a call tells; `undefined` if it was told before. A commit that permits a call and starts it tells only that it started. */
  #permission(id: string, phase: StateFields['calls'][string] | undefined): AuditEntry['decision'] | undefined {
    const before = this.#decisions.get(id);
    if (phase === before) return undefined;
    if (phase !== 'started') return phase;
    if (before === 'held') return 'approved';
    return before === undefined ? 'allowed' : undefined;
  }

  #decide(id: string, decision: AuditEntry['decision']): AuditedAction {
    this.#decisions.set(id, decision);
    return this.#actionOf(id);
  }

  #close(id: string): void {
    this.#open.delete(id);
    this.#calls.delete(id);
    this.#decisions.delete(id);
  }

  #actionOf(id: string): AuditedAction {
    return this.#open.get(id) ?? { id, tool: null, risk: 'UNKNOWN', reasons: [] };
  }
}

/**
 * Returns the decision that a rejection tells. Without a decider, the words say if its user sent a message instead. The words of an expired question
 * count in a commit that expires questions alone, because a person without a name may reject with the same words.
 */
function rejectionOf(
  { rejection_source: source, rejection_reason: reason }: EventOfKind<'UserRejectObservation'>,
  { by, expired }: NamedDecision,
): 'rejected' | 'blocked' | 'superseded' | 'expired' {
  if (source === 'hook') return 'blocked';
  if (expired === true && reason?.startsWith(EXPIRED) === true) return 'expired';
  return by === undefined && reason === SUPERSEDED ? 'superseded' : 'rejected';
}

function declared({ id, tool_name: tool, security_risk: risk = 'UNKNOWN' }: ActionEvent): AuditedAction {
  return { id, tool, risk, reasons: [] };
}

function policyIn(patch: StatePatch | undefined): AuditEntry['set'] {
  const { confirmationPolicy: policy, securityAnalyzer: analyzer } = patch?.set ?? {};
  if (policy === undefined && analyzer === undefined) return undefined;
  return {
    ...(policy === undefined ? {} : { policy: kindOf(policy) }),
    ...(analyzer === undefined ? {} : { analyzer: analyzer && kindOf(analyzer) }),
  };
}

function kindOf({ kind }: JsonObject): string {
  return typeof kind === 'string' ? kind : 'unknown';
}
