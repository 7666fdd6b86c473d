import { setTimeout as sleep } from 'node:timers/promises';

import { isEvent } from '@conv/core/events';
import type { LocalConversation } from '@conv/local';
import type { Random } from '@conv/testing-harness';

import { report } from '../report.ts';
import { POLICIES, strictnessOf } from '../strictness.ts';
import { Telling } from './telling.ts';

const IDLE = {
  message: 3,
  run: 10,
  appends: 2,
  settings: 3,
  navigate: 1,
  fork: 0.5,
  reject: 1,
  approve: 1,
  pause: 0.5,
};
const DURING_RUN = { message: 4, appends: 2, settings: 2, wait: 4 };

/** Actions of a life in its conversation: one after another, some of them during a run. */
export class Activity {
  readonly #conversation: LocalConversation;
  readonly #random: Random;
  readonly #telling: Telling;

  constructor(conversation: LocalConversation, random: Random) {
    this.#conversation = conversation;
    this.#random = random;
    this.#telling = new Telling(conversation);
  }

  /** Performs this many actions. Rejects with the first error, usually `FENCED`. */
  async go(actions: number): Promise<void> {
    for (let done = 0; done < actions; done++) {
      await this.#act(this.#random.weighted(IDLE));
      await this.#telling.tellCommits();
    }
  }

  async #act(what: keyof typeof IDLE): Promise<void> {
    if (what === 'message') return this.#message();
    if (what === 'run') return this.#run();
    if (what === 'appends') return this.#appends();
    if (what === 'settings') return this.#settings();
    if (what === 'navigate') return this.#navigate();
    if (what === 'fork') return this.#fork();
    if (what === 'pause') return this.#conversation.pause();
    const chosen = this.#conversation.state.pendingActions.map(({ id }) => id).filter(() => this.#random.chance(0.5));
    if (what === 'reject') return this.#conversation.reject(chosen);
    report({ kind: 'approving', actions: chosen });
    return this.#conversation.approve(chosen);
  }

  async #message(): Promise<void> {
    const call = this.#telling.call();
    const { id, queued } = await this.#conversation.sendMessage(`message ${call.toString()}`);
    if (queued) report({ kind: 'queued', id });
    else call.acknowledge([id]);
  }

  async #run(): Promise<void> {
    const { pendingActions } = this.#conversation.state;
    // a message rejects what is pending, a run approves it
    if (this.#random.chance(pendingActions.length > 0 ? 0.1 : 0.8)) await this.#message();
    this.#reportApproval();
    const limit = this.#random.chance(0.2) ? { maxIterations: this.#random.between(1, 4) } : {};
    const run = this.#conversation.run(limit);
    // the first code that meets an error reports it; the other must not end the process
    run.catch(() => {});
    for (let meanwhile = this.#random.between(0, 4); meanwhile > 0; meanwhile--) await this.#actDuringRun();
    if (this.#random.chance(0.15)) await this.#conversation.pause();
    if (this.#random.chance(0.15)) await this.#conversation.interrupt();
    await run;
  }

  /** Running approves all that is pending unless some of it was approved by name. */
  #reportApproval(): void {
    const { pendingActions, calls } = this.#conversation.state;
    if (pendingActions.every(({ id }) => calls[id] === undefined))
      report({ kind: 'running', actions: pendingActions.map(({ id }) => id) });
  }

  async #actDuringRun(): Promise<void> {
    const what = this.#random.weighted(DURING_RUN);
    if (what === 'message') await this.#message();
    else if (what === 'appends') await this.#appends();
    else if (what === 'settings') await this.#settings();
    else await sleep(this.#random.between(0, 6));
  }

  /** Appends concurrently, so that the appends share a flush. */
  async #appends(): Promise<void> {
    await Promise.all(Array.from({ length: this.#random.between(2, 8) }, () => this.#append()));
  }

  async #append(): Promise<void> {
    const call = this.#telling.call();
    const events = await this.#conversation.state.append([
      {
        source: 'hook',
        hook_event_type: 'PostToolUse',
        hook_command: 'x'.repeat(this.#random.between(1, 2000)),
        success: true,
        exit_code: 0,
        kind: 'HookExecutionEvent',
      },
    ]);
    call.acknowledge(events.map(({ id }) => id));
  }

  async #settings(): Promise<void> {
    const { settings, state } = this.#conversation;
    const { tags, maxIterations, confirmationPolicy } = state.accepted;
    const what = this.#random.weighted({ tag: 4, maxIterations: 2, analyzer: 1, strictness: 1 });
    if (what === 'tag') {
      const tag = Number(tags['count'] ?? 0) + 1;
      await settings.setTags({ count: String(tag) });
      report({ kind: 'settings', tag });
    } else if (what === 'maxIterations') {
      await settings.setLimits({ maxIterations: maxIterations - 1 });
      report({ kind: 'settings', maxIterations: maxIterations - 1 });
    } else if (what === 'analyzer') {
      await settings.setSecurityAnalyzer({ kind: 'LLMSecurityAnalyzer' });
      report({ kind: 'settings', analyzer: true });
    } else {
      const strictness = Math.min(strictnessOf(confirmationPolicy) + 1, POLICIES.length - 1);
      await settings.setConfirmationPolicy(POLICIES[strictness] ?? { kind: 'AlwaysConfirm' });
      report({ kind: 'settings', strictness });
    }
  }

  /** Goes back to a message: at one no call is open, so that no call is run a second time by going back before its result. */
  async #navigate(): Promise<void> {
    const { events, history } = this.#conversation;
    const candidates = (await events.slice(-40)).filter((event) => isEvent(event, 'MessageEvent'));
    if (candidates.length > 0) await history.navigateTo(this.#random.pick(candidates).id);
  }

  async #fork(): Promise<void> {
    const { history, state } = this.#conversation;
    const { leafEventId, confirmationPolicy } = state;
    const from = this.#random.chance(0.5) && leafEventId !== null ? { from: leafEventId } : {};
    const { event } = state.end;
    const id = await history.fork(from);
    const events = 'from' in from ? 0 : event;
    report({ kind: 'forked', id, strictness: strictnessOf(confirmationPolicy), events });
  }
}
