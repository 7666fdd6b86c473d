import { checkOptionNames, type JsonObject, type OptionNames, type StateFields, type StatePatch } from '@conv/core';
import { isEvent, type ActionEvent, type Event, type EventOfKind } from '@conv/core/events';
import type { Commit, ConversationStore } from '@conv/core/store';
import { SUPERSEDED } from '@conv/local';
import { listPages } from '@conv/store-kit';

import { checkGivenStore } from './check-store.ts';

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

/** A decision on risk, as a commit of a conversation has it. */
export interface AuditEntry {
  readonly conversation: string;
  /** Number of the commit. */
  readonly commit: number;
  /**
   * `held`: a person was asked. `allowed`: the policy let it run. `blocked`: a hook refused it. `superseded`: its user sent a message
   * instead of a decision. `policy`: another policy or analyzer holds from now on.
   */
  readonly decision: 'held' | 'allowed' | 'approved' | 'rejected' | 'blocked' | 'superseded' | 'policy';
  /** Name of the principal that approved or rejected; null for keys of the configuration, and for all other decisions. */
  readonly by: string | null;
  /** Actions that were decided; none for `policy`. */
  readonly actions: readonly AuditedAction[];
  /** Kinds of the policy and the analyzer that were set. */
  readonly set?: { readonly policy?: string; readonly analyzer?: string | null };
  /** Time of the newest event up to the decision, ISO 8601; null for none. */
  readonly after: string | null;
  /** Time of the first event behind the decision; null for none. */
  readonly before: string | null;
}

/** Options of {@link auditTrail}. */
export interface AuditTrailOptions {
  /** Only this conversation. Default: all, by their creation. */
  readonly conversation?: string;
}

const NAMES: OptionNames<AuditTrailOptions> = { conversation: true };

/**
 * Yields the decisions on risk in the logs of a store: actions that were held back, allowed, approved and rejected, by whom, and each change of
 * the policy. They are folded from the commits, so none can be left out or added later. A fork has the decisions of its source, too.
 */
export async function* auditTrail(
  store: ConversationStore,
  options: AuditTrailOptions = {},
): AsyncGenerator<AuditEntry, void, undefined> {
  checkOptionNames('auditTrail', options, NAMES);
  checkGivenStore('auditTrail', store);
  if (options.conversation !== undefined) return yield* trailOf(store, options.conversation);
  for await (const items of listPages(store, { sortBy: 'createdAt', order: 'ascending' }))
    for (const { id } of items) yield* trailOf(store, id);
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
    const by = deciderIn(patch);
    const common = { conversation: this.#conversation, commit: seq, after: this.#after, by: null };
    const set = seq === 0 ? undefined : policyIn(patch);
    if (set) yield { ...common, decision: 'policy', actions: [], set };
    const held = this.#heldBy(patch, answered);
    if (held.length > 0) yield { ...common, decision: 'held', actions: held };
    const permitted = { ...patch?.set?.calls, ...patch?.add?.calls };
    for (const decision of ['allowed', 'approved'] as const) {
      const ids = Object.keys(permitted).filter((id) => this.#permission(id, permitted[id]) === decision);
      const actions = ids.map((id) => this.#decide(id, decision));
      if (actions.length > 0) yield { ...common, decision, by: decision === 'approved' ? by : null, actions };
    }
    const rejections = events.filter((event) => isEvent(event, 'UserRejectObservation'));
    for (const decision of ['rejected', 'blocked', 'superseded'] as const) {
      const rejected = rejections.filter((event) => rejectionOf(event, by) === decision);
      const actions = rejected.map((event) => this.#decide(event.action_id, decision));
      if (actions.length > 0) yield { ...common, decision, by: decision === 'rejected' ? by : null, actions };
    }
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

/** Returns the decision that a rejection tells. Without a decider, the words say if its user sent a message instead. */
function rejectionOf(
  { rejection_source: source, rejection_reason: reason }: EventOfKind<'UserRejectObservation'>,
  by: string | null,
): 'rejected' | 'blocked' | 'superseded' {
  if (source === 'hook') return 'blocked';
  return by === null && reason === SUPERSEDED ? 'superseded' : 'rejected';
}

function declared({ id, tool_name: tool, security_risk: risk = 'UNKNOWN' }: ActionEvent): AuditedAction {
  return { id, tool, risk, reasons: [] };
}

/** Returns the name that the commit of a decision sets. */
function deciderIn(patch: StatePatch | undefined): string | null {
  const name = patch?.set?.extra?.meta['conv_decided_by'];
  return typeof name === 'string' ? name : null;
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
