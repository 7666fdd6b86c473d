import { ConversationError, errorText, isConversationError } from '@conv/core';
import { systemPlatform, type Platform } from '@conv/core/platform';
import type { OwnerInfo } from '@conv/core/store';

import { autoTitle } from './auto-title.ts';
import { fleetOf, type FleetOptions } from '../ownership/fleet-options.ts';
import { isReady } from '../ownership/is-ready.ts';
import { refusalIn } from '../ownership/owner-refusal.ts';
import { Peers } from '../ownership/peers.ts';
import { ServerClosingError } from '../ownership/server-closing-error.ts';
import { TakeOvers } from '../ownership/take-overs.ts';
import { ConversationExecutors } from './conversation-executors.ts';
import { conversationNotFound } from './conversation-not-found.ts';
import { followForeign } from './follow-foreign.ts';
import { HostReadings } from './host-readings.ts';
import { HostedConversation } from './hosted-conversation.ts';
import { LeftRuns } from './left-runs.ts';
import type { LiveConversation } from './live-conversation.ts';
import { LoadedConversations, type Lease } from './loaded-conversations.ts';
import { makeLocal, openLocal, type NewConversation, type OpenConversation } from './open-local.ts';
import { storedIdOf } from './stored-id.ts';
import { RunSlots } from './run-slots.ts';
import type { HostOptions } from './host-options.ts';
import { readStored, type Reading, type StoredConversation } from './stored-conversation.ts';
import { meteredAgents } from '../usage/metered-agents.ts';
import { Usage } from '../usage/usage.ts';
import { Worktrees } from '../workspace/worktrees.ts';

/** The current load of a host. */
export interface HostLoad {
  /** Conversations that are loaded. */
  readonly conversations: number;
  /** Runs that are on. */
  readonly runs: number;
  /** Runs that wait for their slot. */
  readonly waiting: number;
}

const TWENTY_MINUTES = 20 * 60_000;

/** Milliseconds that a run has to finish its step before it is left to the next server. */
const HANDOVER_GRACE = 5000;

/**
 * The conversations of one server. Loads each from the store on its first use that writes or follows, and unloads it when it is
 * idle. It never unloads a conversation during a run, while a run waits for its slot, or while a caller holds a {@link Lease}.
 * Reading alone loads nothing. Runs continue without their clients.
 */
export class ConversationHost {
  readonly options: HostOptions;
  readonly platform: Platform;
  readonly worktrees: Worktrees;
  /** Counts what principals with daily limits use. @internal */
  readonly usage: Usage;
  readonly #slots: RunSlots;
  readonly #executors: ConversationExecutors;
  readonly #loaded: LoadedConversations;
  readonly #readings: HostReadings;
  readonly #leftRuns: LeftRuns;
  readonly #takeOvers: TakeOvers | undefined;
  readonly #deleted: ((id: string) => void)[];
  #closing: Promise<void> | undefined;

  /** Calls `deleted` after each deletion here. Throws `TypeError` for a fleet whose servers could not share the store. */
  constructor(options: HostOptions, deleted: (id: string) => void = () => {}) {
    this.#deleted = [deleted];
    const fleet = fleetOf(options);
    const { platform = systemPlatform } = options;
    this.platform = platform;
    this.usage = this.#usageOf(options);
    const agents = options.usage ? meteredAgents(options.agents, this.usage) : options.agents;
    this.options = { ...options, agents, ...(fleet ? { fleet } : {}) };
    this.worktrees = new Worktrees(platform, options.worktrees);
    this.#takeOvers = fleet && this.#takeOversOf(fleet);
    this.#executors = new ConversationExecutors(this.options);
    this.#slots = new RunSlots(options.maxConcurrentRuns ?? 10);
    this.#loaded = new LoadedConversations({
      platform,
      idleTimeout: options.idleTimeout ?? TWENTY_MINUTES,
      report: (error, conversationId, doing) => this.report(error, { conversationId, doing }),
    });
    this.#readings = new HostReadings(this.options, platform, this.#loaded);
    this.#leftRuns = new LeftRuns({
      platform,
      store: options.store,
      isClosing: () => this.#closing !== undefined,
      take: (id) => this.#take(id),
      report: (error, about) => this.report(error, about),
    });
  }

  get load(): HostLoad {
    return { conversations: this.#loaded.size, runs: this.#slots.taken, waiting: this.#slots.waiting };
  }

  /** Returns the conversation if it is loaded. For reading only: without a lease it may be unloaded at any time. */
  loaded(id: string): HostedConversation | undefined {
    return this.#loaded.get(storedIdOf(id));
  }

  /**
   * Loads the conversation. Rejects `ConversationError` `NOT_FOUND`, `OWNED` while another process writes it (then it may be read and
   * followed), `CLOSED` when the server closes, and as `openLocalConversation`.
   */
  async acquire(id: string): Promise<Lease> {
    const key = storedIdOf(id);
    this.#requireWritable(key);
    return this.#loaded.lease(key, async () => {
      const opened = await openLocal(this.options, this.#executors, key);
      await this.usage.recover(opened.conversation);
      return this.#hosted(opened);
    });
  }

  /**
   * Makes a conversation, or loads the existing conversation with this id; `created` tells which. Rejects as {@link
   * ConversationHost.acquire} and as `openLocalConversation`.
   */
  async create(options: NewConversation): Promise<Lease & { readonly created: boolean }> {
    const key = storedIdOf(options.id);
    this.#requireWritable(key);
    let created = false;
    const make = async (): Promise<HostedConversation> => {
      const hosted = this.#hosted(await makeLocal(this.options, this.#executors, { ...options, id: key }));
      created = true;
      return hosted;
    };
    try {
      return { ...(await this.#loaded.lease(key, make)), created };
    } catch (error) {
      if (!isConversationError(error, 'EXISTS')) throw error;
      return { ...(await this.acquire(key)), created: false };
    }
  }

  /** Opens the conversation for reading; `undefined` when there is none. The caller disposes of it. Rejects `ConversationError`. */
  async read(id: string): Promise<Reading | undefined> {
    const key = storedIdOf(id);
    const loaded = this.#readings.loaded(key);
    if (loaded) return loaded;
    const stored = await this.#readings.stored(key);
    if (stored?.fields.executionStatus !== 'running' || !this.#restoresRuns) return stored;
    this.#takeOvers?.saw(key);
    if (this.#takeOvers || !(await this.#leftRuns.restore(key))) return stored;
    // the run was interrupted: loading the conversation continues it
    await stored[Symbol.asyncDispose]();
    return this.#readings.loaded(key) ?? this.#readings.stored(key);
  }

  /**
   * As {@link ConversationHost.read}, for requests about the past: the reading is cached for the next request. Continues no
   * interrupted run.
   */
  async readPast(id: string): Promise<Reading | undefined> {
    const key = storedIdOf(id);
    return this.#readings.past(key);
  }

  /** As {@link ConversationHost.readPast}, with the stored status; an idle conversation may be unloaded meanwhile, then reading rejects. @internal */
  async readAside(id: string): Promise<Reading | undefined> {
    return this.#readings.aside(storedIdOf(id));
  }

  /**
   * The conversation as sockets follow it: loaded, or read from outside while another process writes it. Rejects as
   * {@link ConversationHost.acquire}, but for `OWNED`.
   */
  async follow(id: string): Promise<Lease<LiveConversation>> {
    const known = storedIdOf(id);
    if (this.options.readOnly !== undefined) return this.#foreign(await this.#readings.existing(known));
    // a reader does not decide which server continues a run
    const leaves = this.#takeOvers !== undefined || !this.#restoresRuns;
    const elsewhere = leaves && !this.loaded(known) ? await this.#runningElsewhere(known) : undefined;
    if (elsewhere) return this.#foreign(elsewhere);
    try {
      return await this.acquire(known);
    } catch (error) {
      // `FENCED`: another process took it while it was opened here
      if (!isConversationError(error, 'OWNED') && !isConversationError(error, 'FENCED')) throw error;
      return this.#foreign(await this.#readings.existing(known), refusalIn(error)?.owner?.owner);
    }
  }

  /**
   * Resolves with the other owner of the conversation; `undefined` when it is loaded here, even if only now. Rejects as {@link
   * ConversationHost.acquire}, except for `OWNED`.
   */
  async ownerOf(id: string): Promise<OwnerInfo | undefined> {
    try {
      (await this.acquire(id)).release();
      return undefined;
    } catch (error) {
      const owner = refusalIn(error)?.owner;
      if (!owner) throw error;
      return owner;
    }
  }

  /**
   * Deletes the conversation; a run of it is interrupted. Rejects `NOT_FOUND`, `OWNED`, and `INVALID_INPUT` if its runtime is not offered.
   */
  async delete(id: string): Promise<void> {
    const key = storedIdOf(id);
    this.#requireWritable(key);
    await using reading = this.#readings.loaded(key) ?? (await this.#readings.existing(key));
    const removeExecutor = this.#executors.removal(key, reading.fields);
    await reading[Symbol.asyncDispose]();
    const remove = async (): Promise<void> => {
      await this.#readings.delete(key);
      await removeExecutor().catch((error: unknown) =>
        this.report(error, { conversationId: key, doing: 'removing its executor' }),
      );
    };
    if (!(await this.#loaded.end(key, { reason: conversationNotFound(key), after: remove }))) await remove();
    for (const told of this.#deleted) told(key);
  }

  /** Calls `told` after each deletion here from now on. @internal */
  onDeleted(told: (id: string) => void): void {
    this.#deleted.push(told);
  }

  /**
   * Continues the runs that were active when a server ended. In a fleet, also continues the runs of servers that die from now on.
   */
  async restore(): Promise<void> {
    if (this.#takeOvers) return this.#takeOvers.start();
    if (!this.#restoresRuns) return;
    return this.#leftRuns.restoreAll();
  }

  /**
   * Leaves runs to the next start, in a fleet to the other servers, stores everything and unloads all conversations. Later calls
   * reject `CLOSED`. Idempotent.
   */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  /** Reports an error for which no client waits. */
  report(error: unknown, about: { readonly conversationId?: string; readonly doing: string }): void {
    if (this.options.report) return this.options.report(error, about);
    const message = errorText(error);
    process.emitWarning(`${about.doing} ${about.conversationId ?? ''}: ${message}`, 'AgentServerWarning');
  }

  get #restoresRuns(): boolean {
    return this.options.readOnly === undefined && this.options.restoreRuns !== false;
  }

  /** Throws `READ_ONLY` if nothing may be owned here. */
  #requireWritable(id: string): void {
    const { readOnly } = this.options;
    if (readOnly !== undefined) throw new ConversationError('READ_ONLY', readOnly, { conversationId: id });
  }

  async #close(): Promise<void> {
    const handOver = { grace: this.options.handoverGrace ?? HANDOVER_GRACE };
    const closed = this.#loaded.close({ reason: new ServerClosingError(), handOver });
    await Promise.all([this.#takeOvers?.close(), closed, this.#readings.close()]);
    await this.usage.close();
  }

  #usageOf({ usage, store, platform, cipher, secrets }: HostOptions): Usage {
    return new Usage({
      platform: this.platform,
      options: usage,
      store,
      statsOf: async (id) => {
        const reading = { store, platform, ...(cipher ? { cipher } : {}), ...(secrets ? { secrets } : {}) };
        await using stored = await readStored(id, reading);
        return stored?.fields.stats ?? {};
      },
      report: (error, about) => this.report(error, about),
    });
  }

  #takeOversOf(fleet: FleetOptions): TakeOvers {
    const { platform } = this;
    const peers = new Peers(fleet, platform);
    return new TakeOvers(fleet, {
      platform,
      store: this.options.store,
      freeSlots: () => this.#slots.free,
      isLoaded: (id) => this.#loaded.get(id) !== undefined,
      take: (id) => this.#take(id),
      isReady: (url) => isReady(url, platform),
      isPeer: (owner) => peers.lists(owner),
      report: (error, about) => this.report(error, about),
    });
  }

  /**
   * Loads a conversation that was left running. Unloads it again if its run does not go on, as no run of a sub-agent does: the parent must be
   * able to open its sub-agent's conversation, and only one process can own it.
   */
  async #take(id: string): Promise<void> {
    (await this.acquire(id)).release();
    await this.#loaded.letGo(id);
  }

  #hosted({ conversation, hands }: OpenConversation): HostedConversation {
    const { id } = conversation;
    const { makeTitle, titlesByAgents = false, runs } = this.options;
    const report = (error: unknown, doing: string): void => this.report(error, { conversationId: id, doing });
    const hosted = new HostedConversation({
      platform: this.platform,
      conversation,
      release: hands.release,
      slots: this.#slots,
      observer: runs,
      usage: this.usage,
      report,
      eventsNow: () => this.#readings.length(id),
      rested: () => this.#loaded.rested(id),
    });
    autoTitle({ conversation, makeTitle, mayAsk: () => titlesByAgents && hosted.isPaid, ended: hosted.ended, report });
    if (conversation.interruptedRun) {
      this.#takeOvers?.tookOver(id);
      hosted.resumeRun().catch((error: unknown) => report(error, 'continuing a run'));
    }
    return hosted;
  }

  /** Resolves with a conversation to follow, because another process runs it. */
  async #runningElsewhere(id: string): Promise<StoredConversation | undefined> {
    const stored = await this.#readings.stored(id);
    if (stored?.fields.executionStatus === 'running') {
      this.#takeOvers?.saw(id);
      return stored;
    }
    await stored?.[Symbol.asyncDispose]();
    return undefined;
  }

  #foreign(stored: StoredConversation, owner?: string): Lease<LiveConversation> {
    const { id } = stored;
    return followForeign(stored, {
      platform: this.platform,
      owner,
      options: this.options,
      eventsNow: () => this.#readings.length(id),
      ownerNow: () => this.#takeOvers?.ownerOf(id),
      here: () => this.loaded(id),
      report: (error, about) => this.report(error, about),
    });
  }
}
