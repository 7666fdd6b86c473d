import type { StateFields, UsageMetrics } from '@conv/core';
import type { Json, JsonObject } from '@conv/core/events';
import { isJsonObject } from '@conv/core/platform';
import { dollars, tokens } from '../text/amounts.ts';

/** The cost of a conversation. */
export interface Spent {
  /** US dollars. */
  readonly cost: number;
  readonly tokens: number;
  readonly calls: number;
}

const nothing: Spent = { cost: 0, tokens: 0, calls: 0 };

/** The prefix of the names under which the work of sub-agents is counted. */
const HELPERS = 'task:';

/** The cost between two moments. */
export class Spending {
  /** By the conversation's own agent, and by its sub-agents. */
  #own: Spent = nothing;
  #helpers: Spent = nothing;
  #shownOwn: Spent = nothing;
  #shownHelpers: Spent = nothing;
  #runStart: Spent = nothing;

  /** Counts from these totals. */
  startAt(stats: StateFields['stats']): void {
    this.update(stats);
    this.#shownOwn = this.#own;
    this.#shownHelpers = this.#helpers;
    this.startRun();
  }

  update(stats: StateFields['stats']): void {
    this.#take(Object.entries(stats).map(([id, usage]) => [id, spentOn(usage)]));
  }

  /** Updates the usage as {@link update} does, from the value of a stats update on the wire. */
  updateFromWire(value: Json | undefined): void {
    const usages = Object.entries(members(members(value)['usage_to_metrics']));
    this.#take(usages.map(([id, usage]) => [id, spentOnWire(usage)]));
  }

  startRun(): void {
    this.#runStart = this.#total;
  }

  /** Returns the usage of the agent itself since the last call of this method. */
  takeNew(): Spent {
    const spent = difference(this.#own, this.#shownOwn);
    this.#shownOwn = this.#own;
    return spent;
  }

  /** Returns the usage of sub-agents since the last call of this method. */
  takeNewOfHelpers(): Spent {
    const spent = difference(this.#helpers, this.#shownHelpers);
    this.#shownHelpers = this.#helpers;
    return spent;
  }

  /** The usage of all agents since the run began. */
  get inRun(): Spent {
    return difference(this.#total, this.#runStart);
  }

  get #total(): Spent {
    return sum(this.#own, this.#helpers);
  }

  #take(usages: readonly (readonly [string, Spent])[]): void {
    const of = (isHelpers: boolean): Spent =>
      usages
        .filter(([id]) => id.startsWith(HELPERS) === isHelpers)
        .reduce((all, [, spent]) => sum(all, spent), nothing);
    this.#own = of(false);
    this.#helpers = of(true);
  }
}

/** Returns the amounts that are known and not zero: `$0.0012`, `1.2k tokens`. */
export function spentParts(spent: Spent): string[] {
  const parts: string[] = [];
  if (spent.cost > 0) parts.push(dollars(spent.cost));
  if (spent.tokens > 0) parts.push(tokens(spent.tokens));
  return parts;
}

function spentOn(usage: UsageMetrics): Spent {
  return { cost: usage.cost, tokens: usage.promptTokens + usage.completionTokens, calls: usage.calls };
}

function spentOnWire(usage: Json): Spent {
  const used = members(members(usage)['accumulated_token_usage']);
  return {
    cost: count(members(usage)['accumulated_cost']),
    tokens: count(used['prompt_tokens']) + count(used['completion_tokens']),
    calls: 0,
  };
}

function members(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function count(value: Json | undefined): number {
  return typeof value === 'number' ? value : 0;
}

function sum(one: Spent, other: Spent): Spent {
  return { cost: one.cost + other.cost, tokens: one.tokens + other.tokens, calls: one.calls + other.calls };
}

function difference(later: Spent, earlier: Spent): Spent {
  return {
    cost: later.cost - earlier.cost,
    tokens: later.tokens - earlier.tokens,
    calls: later.calls - earlier.calls,
  };
}
