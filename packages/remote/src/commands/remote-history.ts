import {
  checks,
  type ConversationHistory,
  type ForkInput,
  isConversationError,
  type pastViews,
  type Projection,
  projections,
  ReadonlyState,
  type RerunResult,
  type StateAt,
} from '@conv/core';
import {
  isStoreError,
  toCommitSeq,
  toConversationId,
  toEventIndex,
  type Commit,
  type CommitSeq,
} from '@conv/core/store';
import { commandRoutes, conversationRoutes, IDEMPOTENCY_KEY_HEADER, pastRoutes } from '@conv/openhands/rest';

import type { CommitReader } from '../sources/commit-reader.ts';
import { completed } from '../sources/commit-state-source.ts';
import { toModelView, toOutline } from '../sources/past-answers.ts';
import { completeFork } from './complete-fork.ts';
import type { ConversationLink } from './conversation-link.ts';
import type { ModelSwitch } from './model-switch.ts';

/** History of a conversation on a server. */
export class RemoteHistory implements ConversationHistory {
  readonly #link: ConversationLink;
  readonly #models: ModelSwitch;

  /** @internal */
  constructor(link: ConversationLink, models: ModelSwitch) {
    this.#link = link;
    this.#models = models;
  }

  async fork(options: ForkInput = {}): Promise<string> {
    checks.callOptions('history.fork', options);
    const { id, from, title, tags, resetMetrics = true } = options;
    const { platform } = this.#link.api.client;
    const forkId = id === undefined ? platform.id() : toId(id);
    const body = {
      id: forkId,
      reset_metrics: resetMetrics,
      from_event_id: from,
      title: title === undefined ? undefined : checks.title(title),
      tags: tags === undefined ? undefined : checks.tags(tags),
    };
    if (from !== undefined) await this.#mustKnow('history.fork: from', from);
    const headers = { [IDEMPOTENCY_KEY_HEADER]: platform.id() };
    // without an event, the conversation itself is missing
    const codes = from === undefined ? ({ 404: 'NOT_FOUND' } as const) : {};
    const made = await this.#link.api.state(conversationRoutes.fork, { body }, { headers, codes }).catch((error) => {
      // this id is new, so an earlier try made the fork and its answer was lost
      if (id === undefined && isConversationError(error, 'EXISTS')) return undefined;
      throw error;
    });
    await completeFork(this.#link, this.#models, { id: forkId, told: made });
    return forkId;
  }

  async navigateTo(eventId: string | null): Promise<void> {
    const { api, follower } = this.#link;
    if (eventId !== null) await this.#mustKnow('history.navigateTo', eventId);
    const info = await api.state(conversationRoutes.navigate, { body: { event_id: eventId } });
    await follower.sync();
    await follower.overlay({ ...info, leaf_event_id: eventId }, { head: true });
  }

  async condense(): Promise<void> {
    await this.#link.api.call(commandRoutes.condense, {}, { repeatable: false, timeout: 600_000 });
    await this.#link.follower.catchUp();
  }

  /** Rejects `UNSUPPORTED`, because the tools are on the server. */
  async *rerunActions(): AsyncGenerator<RerunResult> {
    yield await Promise.reject(
      this.#link.api.error('UNSUPPORTED', 'calls cannot be rerun on a server; use a local conversation'),
    );
  }

  async at(point: pastViews.PastPoint): Promise<StateAt> {
    const { commits, stateOf } = this.#past();
    const checked = await this.#checked(point, commits);
    const known = await commits.stateAt(typeof checked === 'object' ? checked : checked - 1);
    const end = { seq: toCommitSeq(known.seq + 1), event: toEventIndex(known.events) };
    const { events } = this.#link.state;
    const reader = { get: (id: string) => events.get(id), locate: (id: string) => events.indexOf(id) };
    const branch = await completed(reader, projections.empty.branch, known);
    const state = stateOf({ ...projections.empty, fields: known.fields, branch, end });
    const last = { from: toCommitSeq(Math.max(0, known.seq)), to: end.seq };
    for await (const commit of commits.commits(last)) return { commit, state };
    return { commit: undefined, state };
  }

  async outline(options?: pastViews.OutlineOptions): Promise<pastViews.Outline> {
    const { within, ...asked } = checks.outlineOptions(options);
    const query = { ...asked, within: Number.isFinite(within) ? Math.floor(within) : undefined };
    const { api, capabilities } = this.#link;
    if (!capabilities.outline)
      throw api.error('UNSUPPORTED', 'this server gives no outline of a log; use a server of @conv/agent-server');
    return toOutline(await api.call(pastRoutes.getOutline, { query }), api);
  }

  async view(point: pastViews.PastPoint, page?: pastViews.ViewPage): Promise<pastViews.ModelView> {
    const { from, limit } = checks.viewPage(page);
    const { api, capabilities } = this.#link;
    if (!capabilities.view)
      throw api.error('UNSUPPORTED', 'this server gives no views of past points; use a server of @conv/agent-server');
    const checked = await this.#checked(point, this.#past().commits);
    const named = typeof checked === 'object' ? { event: checked.event } : { at: checked - 1 };
    return toModelView(await api.call(pastRoutes.getView, { query: { ...named, from, limit } }), api);
  }

  async *replay(range?: { from?: CommitSeq; to?: CommitSeq }): AsyncGenerator<StateAt> {
    const span = checks.commitSpan('history.replay', range);
    const { commits, stateOf } = this.#past();
    await commits.refresh();
    let projection = await projections.readState(commits, { to: span.from });
    for await (const commit of commits.commits(span)) {
      projection = await projections.foldCommit(commits, projection, commit);
      yield { commit, state: stateOf(projection) };
    }
  }

  async *commits(range?: { from?: CommitSeq; to?: CommitSeq }): AsyncGenerator<Commit> {
    yield* this.#past().commits.commits(checks.commitSpan('history.commits', range));
  }

  /** Resolves with a point that the log has. Asks the server for the end of the log unless the point is known to be before it. */
  async #checked(point: pastViews.PastPoint, commits: CommitReader): Promise<pastViews.PastPoint> {
    const isKnown = typeof point === 'object' && point !== null && point.event < commits.end.event;
    if (!isKnown) await commits.refresh();
    return checks.pastPoint(point, commits.end);
  }

  async #mustKnow(place: string, eventId: string): Promise<void> {
    checks.eventId(place, eventId);
    if (await this.#link.state.events.get(eventId)) return;
    throw this.#link.api.error(
      'UNKNOWN_EVENT',
      `no event has the id ${JSON.stringify(eventId)}; events.slice() lists them`,
    );
  }

  #past(): { readonly commits: CommitReader; readonly stateOf: (projection: Projection) => ReadonlyState } {
    const { api, state, commits } = this.#link;
    if (!commits)
      throw api.error(
        'UNSUPPORTED',
        'expected a server that gives commits, from which past states are folded, found one that gives events alone; read those instead',
      );
    const stateOf = (projection: Projection): ReadonlyState =>
      new ReadonlyState(
        () => projection,
        (leaf) => state.events.messages(leaf),
      );
    return { commits, stateOf };
  }
}

/** Returns a given id as a dashed UUID. Throws `INVALID_INPUT`. */
export function toId(id: string): string {
  try {
    return toConversationId(id);
  } catch (error) {
    if (isStoreError(error, 'INVALID_ID')) throw checks.invalid(error.text, error);
    throw error;
  }
}
