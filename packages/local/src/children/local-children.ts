import { isDeepStrictEqual } from 'node:util';
import {
  checks,
  ConversationError,
  fromStoreError,
  isAgent,
  type Cipher,
  type Conversation,
  type ConversationState,
  type Hooks,
  type SecretVault,
  type StateFields,
  type Visualizer,
} from '@conv/core';
import { toConversationId, type CallRecord, type ConversationStore } from '@conv/core/store';
import type { ChildCall, ChildConversations, ChildResult, ChildSummary, ChildTask } from '@conv/core/tool';

import type { ActiveRun } from '../run/active-run.ts';
import { countChild, withChild } from './child-costs.ts';
import type { ChildHost, ChildInside, OpenChild } from './child-host.ts';
import { ChildVault } from './child-vault.ts';
import { workOn, type AskAboutChild } from './child-work.ts';
import { forgetCall, noteAtWork } from '../rules/children-at-work.ts';
import type { PassiveSafeguards } from '../safeguards/safeguards.ts';
import type { LocalConversationOptions } from '../options/conversation-options.ts';
import { releasesIn } from '../options/releases.ts';
import { passedSubAgents } from '../options/sub-agents.ts';
import { tighten } from './inherit.ts';
import { readFields } from './read-fields.ts';
import { openWhenFree } from './open-when-free.ts';

/** Maximum depth of nested child conversations below the first conversation. */
const MAX_DEPTH = 5;

export interface ChildrenDeps {
  readonly state: ConversationState;
  readonly store: ConversationStore;
  readonly open: OpenChild;
  /** The parent that the conversation works for itself. */
  readonly host: ChildHost | undefined;
  readonly safeguards: PassiveSafeguards;
  readonly vault: SecretVault | undefined;
  readonly hooks: Hooks | undefined;
  readonly cipher: Cipher | undefined;
  readonly subscriberGrace: number;
  /** Shows the conversation, and may show its children. */
  readonly visualizer: Visualizer | undefined;
  readonly folderOf: (id: string) => string | null;
  /** The name of this process as an owner, if the caller gave it. */
  readonly owner: string | undefined;
  /** The run whose budget bounds the children, too. */
  readonly active: ActiveRun;
  readonly ask: AskAboutChild | undefined;
}

interface LiveChild {
  readonly toolCallId: string;
  /** `undefined` until it is open. */
  inside: ChildInside | undefined;
  readonly stop: AbortController;
  /** Settles when its last run has ended. */
  readonly worked: PromiseWithResolvers<void>;
  /** Settles when the child was closed. */
  readonly ended: PromiseWithResolvers<void>;
}

/** The child conversations of a local conversation: in the same store, outside of its lock, any number at the same time. */
export class LocalChildren implements ChildConversations {
  readonly #deps: ChildrenDeps;
  readonly #live = new Map<string, LiveChild>();
  readonly #closed = new AbortController();
  #depth: Promise<number> | undefined;

  constructor(deps: ChildrenDeps) {
    this.#deps = deps;
    const { state, safeguards, host } = deps;
    host?.attach({
      state,
      risks: safeguards.risks,
      spent: () => this.spentWith(state.accepted.stats),
      tighten: () => this.tighten(),
    });
  }

  async find(id: string): Promise<ChildSummary | undefined> {
    const known = toIdOrNone(id);
    const fields = known === undefined ? undefined : await this.#read(known);
    if (!fields || fields.parentId !== this.#deps.state.id) return undefined;
    const { id: childId, title, tags, executionStatus: status } = fields;
    return { id: childId, title, tags, status };
  }

  async run(task: ChildTask, { signal, toolCallId }: ChildCall): Promise<ChildResult> {
    const stop = new AbortController();
    const end = AbortSignal.any([signal, this.#closed.signal, stop.signal]);
    end.throwIfAborted();
    checkTask(task);
    const id = task.id === undefined ? this.#deps.state.platform.id() : toIdOrNone(task.id);
    if (id === undefined) throw noChild(task.id);
    if (this.#live.has(id))
      throw new ConversationError('BUSY', `conversation ${id} is already at work; wait for its end`);
    const live: LiveChild = {
      toolCallId,
      inside: undefined,
      stop,
      worked: Promise.withResolvers(),
      ended: Promise.withResolvers(),
    };
    this.#live.set(id, live);
    try {
      return await this.#work(id, task, live, end);
    } finally {
      this.#live.delete(id);
      live.worked.resolve();
      live.ended.resolve();
    }
  }

  /** Returns the given totals with the spending of children at work since theirs was counted. */
  spentWith(stats: StateFields['stats']): StateFields['stats'] {
    let all = stats;
    for (const [id, { inside }] of this.#live) if (inside) all = withChild(all, id, inside.spent());
    return all;
  }

  /** Makes the children at work as strict as their parent has become (P10). */
  async tighten(): Promise<void> {
    const { state, safeguards } = this.#deps;
    const inside = [...this.#live.values()].flatMap((live) => live.inside ?? []);
    await Promise.all(inside.map((child) => tighten(child, state.accepted, safeguards.risks)));
  }

  /**
   * Interrupts the children that the tools of an ended run left at work. Resolves when all children have stopped and another
   * process can open each. A child with hooks may still be telling them that its session ends.
   */
  async end(): Promise<void> {
    const ends = [...this.#live.values()].map(({ inside, stop, worked, ended }) => {
      stop.abort(new DOMException('interrupted', 'AbortError'));
      return inside?.state.hookConfig ? worked.promise : ended.promise;
    });
    await Promise.all(ends);
  }

  /** Interrupts the children at work and resolves when all were closed. */
  async close(reason: unknown): Promise<void> {
    this.#closed.abort(reason);
    await Promise.all([...this.#live.values()].map(({ ended }) => ended.promise));
  }

  async #work(id: string, task: ChildTask, live: LiveChild, signal: AbortSignal): Promise<ChildResult> {
    const { state, open } = this.#deps;
    const known = task.id === undefined ? undefined : await this.find(id);
    if (task.id !== undefined && !known) throw noChild(id);
    const host = await this.#hostOf(live);
    const { toolCallId } = live;
    await state.transaction((transaction) =>
      noteAtWork(transaction, { childId: id, toolCallId }, (child) => this.#live.has(child)),
    );
    try {
      const { title = null, tags = {} } = known ?? task;
      const visualizer = this.#deps.visualizer?.forChild?.({ id, title, tags }) ?? null;
      const options = { ...this.#optionsOf(id, task, signal), visualizer };
      const opening = { options, host, hooks: task.hooks };
      const child = await openWhenFree(() => open(opening), signal, state.platform);
      try {
        return await this.#follow(child, task, live, signal);
      } finally {
        live.worked.resolve();
        await child.close();
      }
    } finally {
      await this.#settle(id, live, signal);
    }
  }

  /** Counts the child's spending. A child of an interrupted call stays noted, so that the call's result can name it. */
  async #settle(id: string, { toolCallId, inside }: LiveChild, signal: AbortSignal): Promise<void> {
    const isLast = [...this.#live].every(([other, live]) => other === id || live.toolCallId !== toolCallId);
    await this.#deps.state.transaction((transaction) => {
      if (inside) countChild(transaction, id, inside.spent());
      if (isLast && !signal.aborted) forgetCall(transaction, toolCallId);
    });
  }

  /** Runs the child and counts its spending while it works. */
  async #follow(child: Conversation, task: ChildTask, live: LiveChild, signal: AbortSignal): Promise<ChildResult> {
    const { state, ask } = this.#deps;
    const count = async (): Promise<void> => {
      await state.transaction((transaction) => countChild(transaction, child.id, live.inside?.spent() ?? {}));
    };
    const counting = child.subscribe({
      onStateChange: (now, before) => (now.stats === before.stats ? undefined : count()),
      // a failure is harmless: the spending is counted again at the end
      onError: () => {},
    });
    try {
      // the parent may have become stricter while the child was being opened
      await this.tighten();
      return await workOn(child, task, { signal, ask });
    } finally {
      counting.unsubscribe();
    }
  }

  #optionsOf(id: string, task: ChildTask, signal: AbortSignal): LocalConversationOptions {
    const { state, store, cipher, subscriberGrace, ask, owner } = this.#deps;
    const { agent, title, tags, limits = {}, confirmationPolicy } = task;
    const isNew = task.id === undefined;
    const { meta } = state.fields.extra;
    const openhands = releasesIn(meta);
    if (agent && !isAgent(agent))
      throw checks.invalid('agent of a child: expected an Agent with start(), found an object without it');
    return {
      id,
      store,
      parentId: state.id,
      create: isNew ? 'must' : 'never',
      signal,
      subscriberGrace,
      platform: state.platform,
      ...limits,
      ...(agent ? { agent } : {}),
      ...(cipher ? { cipher } : {}),
      // the name is no address: a client must not send commands to the owner, because only this run writes a child at work
      ...(owner === undefined ? {} : { owner: `conversation ${state.id} at ${owner}` }),
      ...(confirmationPolicy ? { confirmationPolicy } : {}),
      ...(ask ? { onChildConfirmation: ask } : {}),
      ...(isNew ? { workspace: state.workspace.workingDir } : {}),
      ...(isNew ? { meta: passedSubAgents(meta) } : {}),
      ...(isNew && title !== undefined ? { title } : {}),
      ...(isNew && tags ? { tags } : {}),
      ...(isNew && openhands !== undefined ? { openhands } : {}),
    };
  }

  async #hostOf(live: LiveChild): Promise<ChildHost> {
    const { state, safeguards, vault, hooks, folderOf } = this.#deps;
    const depth = 1 + (await (this.#depth ??= this.#findDepth()));
    if (depth > MAX_DEPTH)
      throw new ConversationError(
        'UNSUPPORTED',
        `conversations are nested at most ${MAX_DEPTH} deep, found ${depth}; let this conversation do the task`,
      );
    return {
      depth,
      parent: () => state.accepted,
      budget: { usedUp: (uncounted) => this.#usedUp(uncounted) },
      vault: vault && safeguards.secrets && new ChildVault(vault, safeguards.secrets),
      analyzer: (description) => safeguards.risks.ownOf(description),
      hooks: (config) => (hooks && isDeepStrictEqual(hooks.config, config) ? hooks : undefined),
      folderOf,
      attach: (inside) => void (live.inside = inside),
    };
  }

  #usedUp(uncounted: readonly CallRecord[] | undefined): string | undefined {
    const { state, active } = this.#deps;
    const { accepted } = state;
    return active.run?.budget.usedUp({ ...accepted, stats: this.spentWith(accepted.stats) }, uncounted);
  }

  /** Returns the depth of this conversation. A conversation that was opened directly may be nested, too. */
  async #findDepth(): Promise<number> {
    const { host, state } = this.#deps;
    if (host) return host.depth;
    let depth = 0;
    for (let id = state.parentId; id !== null && depth < MAX_DEPTH; depth++)
      id = (await this.#read(id))?.parentId ?? null;
    return depth;
  }

  #read(id: string): Promise<StateFields | undefined> {
    return readFields(this.#deps.store, id).catch((error: unknown) => {
      throw fromStoreError(error, id);
    });
  }
}

/** Checks the parts of a task that opening a conversation does not check. Throws `INVALID_INPUT`. */
function checkTask({ prompt, limits = {}, maxIterations }: ChildTask): void {
  if (typeof prompt !== 'string' || prompt.trim() === '')
    throw checks.invalid('a prompt must be text that is not blank');
  checks.limitNames(limits);
  if (maxIterations !== undefined) checks.maxIterations(maxIterations);
}

function toIdOrNone(id: string): string | undefined {
  try {
    return toConversationId(id);
  } catch {
    // no conversation has an invalid id
    return undefined;
  }
}

function noChild(id: string | undefined): ConversationError {
  return new ConversationError(
    'NOT_FOUND',
    `no conversation with the id ${JSON.stringify(id)} belongs to this one; start a new one without an id`,
  );
}
