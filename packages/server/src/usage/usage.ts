import { AsyncLocalStorage } from 'node:async_hooks';
import type { StateFields } from '@conv/core';
import type { Platform } from '@conv/core/platform';
import type { LocalConversation } from '@conv/local';
import type { Registry } from '@conv/store-kit/registry';

import type { Caller, DailyLimits } from '../auth/principal.ts';
import { askersIn, recordAsker } from './askers.ts';
import { checkRun, holdCall, holdRun, settle, spent, takeBackRun, type DayLimits, type HeldBy } from './day-usage.ts';
import { ownCost } from './own-cost.ts';
import { recordRunStart, runStartIn } from './run-start.ts';
import { settleLeft, type LeftDeps } from './settle-left.ts';
import { UsageLedger } from './usage-ledger.ts';
import { dayBefore, dayOf, endOf } from './utc-day.ts';

/** Options of what is counted for principals with daily limits. */
export interface UsageOptions {
  /** The registry that holds what was used, shared by all servers of a fleet. */
  readonly registry: Registry;
  /**
   * US dollars that are kept free for a call of a model before it is made, until a dearer call is known. A call that costs more goes
   * beyond the limit by the difference. Default 0.05.
   */
  readonly reserve?: number;
}

const RESERVE = 0.05;

/** Milliseconds for which a message waits for the registry. */
export const REGISTRY_WAIT = 1000;

export interface UsageDeps extends Pick<LeftDeps, 'store' | 'statsOf'> {
  readonly platform: Platform;
  readonly options: UsageOptions | undefined;
  readonly report: (error: unknown, about: { readonly conversationId?: string; readonly doing: string }) => void;
}

/** A principal with daily limits that pays for runs. */
export interface Payer {
  readonly name: string;
  readonly daily: DailyLimits;
}

/** The use of a day that a principal may know. */
export interface UsedToday {
  readonly runs: number;
  readonly cost: number;
  /** ISO 8601. */
  readonly resetsAt: string;
}

/**
 * Counts runs and the cost of their models for the principals that start them. Each is reserved before it begins, in a record of the day:
 *
 *     commit "conv_run" ──► hold the run ──► start ──► settle, or take back
 *                             each model call: hold an estimate ──► ask ──► settle with its cost
 *
 * The next owner of the conversation settles the reservations of a killed process, from the log. A reservation has an id, and the change that
 * removes it counts it, so it counts once.
 */
export class Usage {
  readonly #deps: UsageDeps;
  readonly #ledger: UsageLedger | undefined;
  /** Payers of runs, by the id of the conversation that a client started. */
  readonly #payers = new Map<string, Payer>();
  /** Conversations of sub-agents at work, and the conversations for which they work. */
  readonly #roots = new Map<string, string>();
  /** The payer of what a request asks beside runs. */
  readonly #asking = new AsyncLocalStorage<{ readonly payer: Payer | undefined }>();

  constructor(deps: UsageDeps) {
    const { options, platform, report } = deps;
    this.#deps = deps;
    this.#ledger =
      options &&
      new UsageLedger({
        registry: options.registry,
        platform,
        report: (error) => report(error, { doing: 'removing the usage of earlier days' }),
      });
  }

  /** Rejects `LimitReached` if the caller could start no run now. */
  async check(caller: Caller): Promise<void> {
    const payer = payerOf(caller);
    if (!payer) return;
    const day = this.#today;
    checkRun(await this.#books.read(payer.name, day), this.#limits(payer, day));
  }

  /** True if the runs of a caller are counted. */
  counts(caller: Caller): boolean {
    return payerOf(caller) !== undefined;
  }

  /** Resolves with what the caller has used today; `undefined` for a caller without daily limits. */
  async usedBy(caller: Caller): Promise<UsedToday | undefined> {
    const payer = payerOf(caller);
    if (!payer || !this.#ledger) return undefined;
    const day = this.#today;
    const used = await this.#ledger.read(payer.name, day);
    return { runs: used.runs, cost: spent(used), resetsAt: new Date(endOf(day)).toISOString() };
  }

  /** True if a run that this caller starts is recorded, or changes who pays. */
  concerns({ state }: LocalConversation, by: Caller | undefined): boolean {
    return (by?.name ?? null) !== null || runStartIn(state.fields.extra.meta) !== undefined;
  }

  /**
   * Starts a run in the name of a caller. `begin` starts it, and resolves with false if no run was needed, as this does. Rejects as `begin`, `LimitReached` if
   * the caller has used up its day, and `RegistryError` if that cannot be known.
   */
  async startRun(
    conversation: LocalConversation,
    by: Caller | undefined,
    begin: () => Promise<boolean>,
  ): Promise<boolean> {
    const { platform } = this.#deps;
    const payer = by && payerOf(by);
    if (by) await this.check(by);
    const [id, now] = [platform.id(), platform.now()];
    const name = by?.name ?? null;
    const daily = payer ? { daily: payer.daily } : {};
    const start = name === null ? undefined : { by: name, at: new Date(now).toISOString(), id, ...daily };
    // before the reservation: the next owner of the conversation learns here whose record to look at
    await recordRunStart(conversation, start);
    if (payer) return this.#startPaid(conversation.id, { payer, id, day: dayOf(now) }, begin);
    this.#payers.delete(conversation.id);
    return begin();
  }

  /** Called when a conversation has no run any more. */
  ended(conversationId: string): void {
    this.#payers.delete(conversationId);
  }

  /** Lets a caller pay for what `work` asks models beside runs of a conversation. */
  async asking<T>(caller: Caller, conversation: LocalConversation, work: () => Promise<T>): Promise<T> {
    const payer = payerOf(caller);
    if (payer?.daily.cost !== undefined) await recordAsker(conversation, payer.name, this.#days);
    return this.#asking.run({ payer }, work);
  }

  /** Runs a sub-agent's conversation for another one, whose payer pays for it. */
  async within<T>(root: string, childId: string | undefined, work: () => Promise<T>): Promise<T> {
    if (childId === undefined) return work();
    this.#roots.set(childId, root);
    try {
      return await work();
    } finally {
      this.#roots.delete(childId);
    }
  }

  /**
   * Asks a model. Keeps its estimated cost free before, and counts its cost afterwards, if a principal pays for it. `ask` calls `count` with each
   * reported cost. Rejects as `ask`, `LimitReached`, and `RegistryError`.
   */
  async metered<T>(
    by: { readonly conversation: string; readonly root: string; readonly stats?: StateFields['stats'] },
    ask: (count: (cost: number) => void) => Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    const root = this.#roots.get(by.root) ?? by.root;
    const asking = this.#asking.getStore();
    const payer = asking ? asking.payer : this.#payers.get(root);
    if (payer?.daily.cost === undefined) return ask(() => {});
    const [id, day] = [this.#deps.platform.id(), this.#today];
    const held: HeldBy = { conversation: by.conversation, root, before: by.stats ? ownCost(by.stats) : null };
    await this.#books.change(payer.name, day, (usage) => holdCall(usage, id, held, this.#limits(payer, day)));
    let cost: number | undefined = signal.aborted ? 0 : undefined;
    try {
      signal.throwIfAborted();
      return await ask((reported) => (cost = (cost ?? 0) + reported));
    } finally {
      // the provider may bill an interrupted call, whose cost is not reported
      const counted = cost ?? (signal.aborted ? undefined : 0);
      this.#note(by.conversation, payer, day, (usage) => settle(usage, id, counted));
    }
  }

  /** Settles what an earlier owner of the conversation held for runs and for questions, and finds the payer of its run. Never rejects. */
  async recover(conversation: LocalConversation): Promise<void> {
    const { id, state } = conversation;
    const { meta } = state.fields.extra;
    const start = runStartIn(meta);
    if (!this.#ledger) return;
    if (start?.daily) this.#payers.set(id, { name: start.by, daily: start.daily });
    const days = this.#days;
    const payers = new Set([...(start?.daily ? [start.by] : []), ...askersIn(meta, days)]);
    const { report, store, statsOf } = this.#deps;
    try {
      for (const by of payers) await settleLeft({ conversation, by, days, ledger: this.#ledger, store, statsOf });
    } catch (error) {
      report(error, { conversationId: id, doing: 'settling its usage' });
    }
  }

  /** Resolves when all that has ended is counted. */
  async close(): Promise<void> {
    await this.#ledger?.settled();
  }

  async #startPaid(
    conversation: string,
    { payer, id, day }: { readonly payer: Payer; readonly id: string; readonly day: string },
    begin: () => Promise<boolean>,
  ): Promise<boolean> {
    const held: HeldBy = { conversation, root: conversation, before: null };
    await this.#books.change(payer.name, day, (usage) => holdRun(usage, id, held, this.#limits(payer, day)));
    const before = this.#payers.get(conversation);
    this.#payers.set(conversation, payer);
    let began = false;
    try {
      began = await begin();
      return began;
    } finally {
      if (!began && before) this.#payers.set(conversation, before);
      this.#note(conversation, payer, day, (usage) => (began ? settle(usage, id) : takeBackRun(usage, id)));
    }
  }

  /** Makes a change for which no caller waits. If it fails, the next owner of the conversation makes it. */
  #note(conversationId: string, { name }: Payer, day: string, apply: Parameters<UsageLedger['change']>[2]): void {
    const { report } = this.#deps;
    this.#books
      .change(name, day, apply)
      .catch((error: unknown) => report(error, { conversationId, doing: 'counting its usage' }));
  }

  /** Today and yesterday: earlier records limit nothing any more. */
  get #days(): readonly [string, string] {
    return [this.#today, dayBefore(this.#today)];
  }

  get #today(): string {
    return dayOf(this.#deps.platform.now());
  }

  #limits({ name, daily }: Payer, day: string): DayLimits {
    const { options, platform } = this.#deps;
    return { name, daily, reserve: options?.reserve ?? RESERVE, now: platform.now(), end: endOf(day) };
  }

  /** Throws `TypeError` if nothing is counted here: a limit must not count as no limit. */
  get #books(): UsageLedger {
    if (this.#ledger) return this.#ledger;
    throw new TypeError(
      'agentServer: usage: expected a registry for keys with daily limits, found none; give usage: { registry }',
    );
  }
}

function payerOf({ name, daily }: Caller): Payer | undefined {
  return name === null || daily === undefined ? undefined : { name, daily };
}
