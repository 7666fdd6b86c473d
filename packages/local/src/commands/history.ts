import {
  checks,
  ConversationError,
  type ConversationHistory,
  type ForkInput,
  fromStoreError,
  type JsonObject,
  type pastViews,
  type RerunResult,
  type StateAt,
  type StateFields,
} from '@conv/core';
import { eventGuards, isEvent, isText, type Event } from '@conv/core/events';
import type { Commit, CommitSeq, ConversationStore } from '@conv/core/store';
import { isoNow } from '@conv/core/platform';
import { modelViewOf } from '@conv/openhands/messages';

import { parseId } from '../options/parse-id.ts';
import { PastStates } from '../past/past-states.ts';
import { recordMissingAssessments, supersede } from '../rules/approvals.ts';
import type { CommandDeps } from './command-deps.ts';
import type { Condensing } from './condensing.ts';
import { endOfEdits } from '../rules/edited-calls.ts';
import type { GoalAtWork } from './goal-at-work.ts';
import { interrupted } from '../rules/goal-state.ts';
import { withoutDecision } from '../rules/named-decision.ts';
import type { Reruns } from './reruns.ts';

export interface HistoryDeps extends CommandDeps {
  readonly store: ConversationStore;
  /** Returns the folder of a conversation with this id, for the state of a fork. */
  readonly folderOf: (id: string) => string | null;
  /** The goal in progress, in a run or between two runs. */
  readonly goal: GoalAtWork;
  readonly condensing: Condensing;
  readonly reruns: Reruns;
}

/** Options of a fork of a local conversation. */
export interface LocalForkInput extends ForkInput {
  /** Metadata of the fork, which replaces the source's metadata of the same names. */
  readonly meta?: JsonObject;
}

/** History of a local conversation. */
export class LocalHistory implements ConversationHistory {
  readonly #deps: HistoryDeps;
  readonly #forks = new Set<Promise<void>>();
  #past: PastStates | undefined;

  constructor(deps: HistoryDeps) {
    this.#deps = deps;
  }

  /** The past states of the log. Made when they are first asked for: a server has many conversations whose past is not read. */
  get past(): PastStates {
    return (this.#past ??= new PastStates(this.#deps.state));
  }

  /** The forks, the condensation and the rerun in progress. A run waits for them: it could start a call that a fork believes pending. */
  get work(): Promise<unknown> | undefined {
    const { condensing, reruns } = this.#deps;
    const work = [...this.#forks, condensing.current, reruns.current].filter((one) => one !== undefined);
    return work.length > 0 ? Promise.allSettled(work) : undefined;
  }

  async condense(): Promise<void> {
    const { condensing, lifetime } = this.#deps;
    lifetime.assertOpen();
    await condensing.condense();
  }

  async fork(options: LocalForkInput = {}): Promise<string> {
    const { state, lifetime } = this.#deps;
    lifetime.assertOpen();
    checks.callOptions('history.fork', options, { meta: true });
    const id = parseId(options.id ?? state.platform.id());
    if (options.from !== undefined) checks.eventId('history.fork: from', options.from);
    if (options.from !== undefined && (await state.events.indexOf(options.from)) === undefined)
      throw unknownEvent(options.from);
    const from = options.from === undefined ? {} : { from: await endOfEdits(state.events, options.from) };
    const fork = this.#fork(id, { ...options, ...from });
    this.#forks.add(fork);
    try {
      await fork;
    } catch (error) {
      throw fromStoreError(error, state.id);
    } finally {
      this.#forks.delete(fork);
    }
    return id;
  }

  async navigateTo(given: string | null): Promise<void> {
    const { state, active, goal, condensing, safeguards } = this.#deps;
    const busy = `HEAD of conversation ${state.id} cannot move now`;
    if (given !== null) checks.eventId('history.navigateTo', given);
    const eventId = given === null ? null : await endOfEdits(state.events, given);
    const answered = eventId !== null && isAnswer(await state.events.get(eventId));
    if (eventId !== null) await state.readBranch(eventId);
    await state.transaction(async (transaction) => {
      if (active.run) throw new ConversationError('BUSY', `${busy}: a run is in progress; wait for it, or pause it`);
      if (goal.active) throw new ConversationError('BUSY', `${busy}: a goal is pursued; wait for it, or stop it`);
      if (condensing.current) throw new ConversationError('BUSY', `${busy}: it is being condensed; wait for that`);
      if (eventId === transaction.state.leafEventId) return;
      // a message belongs to the branch that it was sent to
      if (transaction.state.queue.length > 0) await supersede(transaction);
      await transaction.moveHead(eventId);
      const { calls } = transaction.state;
      const isAsked = transaction.pendingActions.some(({ id }) => calls[id] !== 'started');
      const executionStatus = isAsked ? 'waiting_for_confirmation' : answered ? 'finished' : 'idle';
      transaction.update({ set: { executionStatus, lastRun: null } });
      recordMissingAssessments(transaction, safeguards.risks);
    });
  }

  async *rerunActions(options?: { readonly signal?: AbortSignal }): AsyncGenerator<RerunResult> {
    checks.callOptions('history.rerunActions', options);
    yield* this.#deps.reruns.actions(options);
  }

  at(point: pastViews.PastPoint): Promise<StateAt> {
    return this.past.at(point);
  }

  outline(options?: pastViews.OutlineOptions): Promise<pastViews.Outline> {
    return this.past.outline(options);
  }

  async view(point: pastViews.PastPoint, page?: pastViews.ViewPage): Promise<pastViews.ModelView> {
    checks.viewPage(page);
    return modelViewOf(await this.past.view(point), page);
  }

  replay(range?: { from?: CommitSeq; to?: CommitSeq }): AsyncGenerator<StateAt> {
    return this.past.replay(range);
  }

  commits(range?: { from?: CommitSeq; to?: CommitSeq }): AsyncGenerator<Commit> {
    return this.past.commits(range);
  }

  async #fork(id: string, options: LocalForkInput): Promise<void> {
    const { state, store } = this.#deps;
    const from = options.from === undefined ? {} : { from: options.from };
    await store.fork(state.id, id, { ...from, patch: state.mask.patch({ set: this.#forkFields(id, options) }) });
  }

  /** Returns the fields that differ in the fork. Settings that keep it strict stay. Opening the fork recovers its calls. */
  #forkFields(id: string, { from, tags, meta, resetMetrics = true, ...labels }: LocalForkInput): Partial<StateFields> {
    const { state, folderOf } = this.#deps;
    const title = labels.title === undefined ? null : checks.title(labels.title);
    return {
      id,
      persistenceDir: folderOf(id),
      createdAt: isoNow(state.platform),
      parentId: null,
      forkedFrom: { conversationId: state.id, eventId: from ?? null },
      queue: [],
      lastRun: null,
      goal: state.goal?.active ? interrupted(state.goal) : state.goal,
      ...this.#forkStatus(from !== undefined),
      ...(resetMetrics ? { stats: {} } : {}),
      ...(meta
        ? { extra: { ...state.fields.extra, meta: { ...withoutDecision(state.fields.extra.meta), ...meta } } }
        : {}),
      title,
      tags: checks.tags({ ...tags, ...(title === null ? {} : { title }) }),
    };
  }

  /**
   * Returns the status of the fork. Approvals stay with the source. Calls that run there, or may by now, have an unknown outcome
   * in the fork.
   */
  #forkStatus(lineage: boolean): Pick<StateFields, 'executionStatus'> & Partial<StateFields> {
    const { state, active } = this.#deps;
    if (!active.run && state.executionStatus !== 'running') {
      // started calls at rest outlive processes; the fork must not execute them as calls that never began
      const calls = Object.fromEntries(Object.entries(state.calls).filter(([, phase]) => phase === 'started'));
      const isAsked = !lineage && state.pendingActions.some(({ id }) => calls[id] === undefined);
      return { executionStatus: isAsked ? 'waiting_for_confirmation' : 'idle', calls };
    }
    if (!lineage) return { executionStatus: 'running' };
    const calls = Object.fromEntries(Object.keys(state.accepted.calls).map((action) => [action, 'started' as const]));
    return { executionStatus: 'idle', calls };
  }
}

/** True if a branch that ends with this event is answered, by the finish tool or by the agent's words. */
function isAnswer(event: Event | undefined): boolean {
  if (!event) return false;
  if (eventGuards.isFinishResult(event)) return true;
  if (!isEvent(event, 'MessageEvent') || event.source !== 'agent') return false;
  const { content } = event.llm_message;
  return Array.isArray(content) && content.some((part) => isText(part) && part.text.trim() !== '');
}

function unknownEvent(id: string): ConversationError {
  const text = `no event has the id ${JSON.stringify(id)}; events.slice() lists them`;
  return new ConversationError('UNKNOWN_EVENT', text, { eventId: id });
}
