import type { AgentSession } from '@conv/core';
import type { ActionEvent } from '@conv/core/events';

import { needsOf, type CallNeeds } from './resource-keys.ts';

/** A call that could begin, did not another one hold what it needs. */
export interface BlockedCall {
  readonly action: ActionEvent;
  /** What it waits for; of several keys the first that is held. */
  readonly key: string;
  readonly holder: ActionEvent;
}

/** What may begin, and what waits for a resource. Both in the order of the calls. */
export interface Beginning {
  readonly begun: readonly ActionEvent[];
  readonly blocked: readonly BlockedCall[];
}

interface HeldCall extends CallNeeds {
  readonly action: ActionEvent;
}

const NOTHING: CallNeeds = { keys: [], alone: false };

/**
 * Which calls run at the same time: so many at most, none that needs what another one holds. A call gets all that it needs at
 * once and holds nothing while it waits, so that calls cannot wait for each other; and none goes before an earlier one that
 * needs the same, so that each has its turn.
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

  /** How many calls run. */
  get size(): number {
    return this.#running.size;
  }

  /** Whether this call runs. */
  has({ id }: ActionEvent): boolean {
    return this.#running.has(id);
  }

  /** Notes a call that has begun already. */
  resume(action: ActionEvent): void {
    this.#running.set(action.id, { action, ...this.#needsOf(action) });
  }

  /** Begins what may begin of `waiting`, the calls that are permitted and do not run, in their order. */
  begin(waiting: readonly ActionEvent[]): Beginning {
    const begun: ActionEvent[] = [];
    const blocked: BlockedCall[] = [];
    const earlier = new Set<string>();
    for (const [at, action] of waiting.entries()) {
      const needs = this.#needsOf(action);
      // what stands behind such a call comes after it, as what stands before it comes first
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

  /** The call is over: others may have what it held. */
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

  /** Asked once for each call: an answer may cost, or change with what other calls do. */
  #needsOf(action: ActionEvent): CallNeeds {
    // where one runs at a time nothing is held that another one could need
    if (this.limit === 1) return NOTHING;
    const known = this.#needs.get(action.id) ?? needsOf(this.#session, action);
    this.#needs.set(action.id, known);
    return known;
  }
}
