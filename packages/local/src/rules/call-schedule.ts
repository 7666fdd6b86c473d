import type { AgentSession } from '@conv/core';
import type { ActionEvent } from '@conv/core/events';

import { needsOf, type CallNeeds } from './resource-keys.ts';

/** A call that could begin if no other call held its resource. */
export interface BlockedCall {
  readonly action: ActionEvent;
  /** The key that it waits for; of several keys the first that is held. */
  readonly key: string;
  readonly holder: ActionEvent;
}

/** Calls that begin and calls that wait for a resource, both in the order of the calls. */
export interface Beginning {
  readonly begun: readonly ActionEvent[];
  readonly blocked: readonly BlockedCall[];
}

interface HeldCall extends CallNeeds {
  readonly action: ActionEvent;
}

const NOTHING: CallNeeds = { keys: [], alone: false };

/**
 * Schedules concurrent calls: at most `limit`, and no two that share a resource. An example with a limit of 2, where `a` runs:
 *
 *     waiting   needs     state            because
 *     a         x         runs
 *     b         x, y      blocked          `a` holds x
 *     c         y         waits            `b`, which came first, needs y, and `b` holds nothing
 *     d         z         begins           nothing before it needs z, and one call runs
 *     e         w         waits            two calls run
 *     f         alone     waits            it begins when no call runs and none waits before it
 *     g         v         waits            `f` waits before it
 *
 * Invariants, after each `begin`:
 * - A running call holds all its keys, and a waiting call holds none, so there is no deadlock.
 * - No call overtakes an earlier call that needs one of its keys, or that must run alone, so there is no starvation.
 * - The keys of a call are asked for once, so they stay the same until it ends.
 */
export class CallSchedule {
  readonly limit: number;
  readonly #session: Pick<AgentSession, 'resources'>;
  readonly #running = new Map<string, HeldCall>();
  readonly #needs = new Map<string, CallNeeds>();

  constructor(session: Pick<AgentSession, 'resources' | 'toolConcurrency'>) {
    const { toolConcurrency = 1 } = session;
    this.limit = toolConcurrency >= 1 ? Math.floor(toolConcurrency) : 1;
    this.#session = session;
  }

  get size(): number {
    return this.#running.size;
  }

  /** True if this call runs. */
  has({ id }: ActionEvent): boolean {
    return this.#running.has(id);
  }

  /** Adds a call that has begun already. */
  resume(action: ActionEvent): void {
    this.#running.set(action.id, { action, ...this.#needsOf(action) });
  }

  /** Begins the calls of `waiting` that may begin. `waiting` holds the permitted calls that do not run, in their order. */
  begin(waiting: readonly ActionEvent[]): Beginning {
    const begun: ActionEvent[] = [];
    const blocked: BlockedCall[] = [];
    const earlier = new Set<string>();
    for (const [at, action] of waiting.entries()) {
      const needs = this.#needsOf(action);
      // an exclusive call waits for all calls before it, and all calls behind it wait for it
      if (this.#isAlone() || (needs.alone && (this.size > 0 || at > 0))) break;
      const held = this.#heldOf(needs);
      if (held) blocked.push({ action, ...held });
      else if (this.size < this.limit && !needs.keys.some((key) => earlier.has(key))) {
        this.#running.set(action.id, { action, ...needs });
        begun.push(action);
      }
      for (const key of needs.keys) earlier.add(key);
    }
    return { begun, blocked };
  }

  /** Removes an ended call, so that other calls may have its resources. */
  end({ id }: ActionEvent): void {
    this.#running.delete(id);
    this.#needs.delete(id);
  }

  #isAlone(): boolean {
    return [...this.#running.values()].some(({ alone }) => alone);
  }

  #heldOf({ keys }: CallNeeds): Pick<BlockedCall, 'key' | 'holder'> | undefined {
    for (const key of keys)
      for (const { action, keys: held } of this.#running.values())
        if (held.includes(key)) return { key, holder: action };
    return undefined;
  }

  /** Returns the needs of a call. The session is asked once for each call, because an answer may be expensive or change. */
  #needsOf(action: ActionEvent): CallNeeds {
    // with one call at a time no resource can conflict
    if (this.limit === 1) return NOTHING;
    const known = this.#needs.get(action.id) ?? needsOf(this.#session, action);
    this.#needs.set(action.id, known);
    return known;
  }
}
