import type { StateFields } from '@conv/core';
import type { JsonValue } from '@conv/core/events';
import { dollars, tokens } from '../text/amounts.ts';

/** What a conversation has cost. */
export interface Spent {
  /** US dollars. */
  readonly cost: number;
  readonly tokens: number;
  readonly calls: number;
}

const nothing: Spent = { cost: 0, tokens: 0, calls: 0 };

/** What was spent between two moments. */
export class Spending {
  #total: Spent = nothing;
  #shown: Spent = nothing;
  #runStart: Spent = nothing;

  /** Counts from these totals. */
  startAt(stats: StateFields['stats']): void {
    this.#total = this.#shown = this.#runStart = totalOf(stats);
  }

  update(stats: StateFields['stats']): void {
    this.#total = totalOf(stats);
  }

  /** As {@link update}, from the value of a stats update on the wire. */
  updateFromWire(value: JsonValue | undefined): void {
    this.#total = wireTotal(value);
  }

  startRun(): void {
    this.#runStart = this.#total;
  }

  /** Since the last call of this. */
  takeNew(): Spent {
    const spent = difference(this.#total, this.#shown);
    this.#shown = this.#total;
    return spent;
  }

  /** Since the run began. */
  get inRun(): Spent {
    return difference(this.#total, this.#runStart);
  }
}

/** `$0.0012`, `1.2k tokens`: what is known and not zero. */
export function spentParts(spent: Spent): string[] {
  const parts: string[] = [];
  if (spent.cost > 0) parts.push(dollars(spent.cost));
  if (spent.tokens > 0) parts.push(tokens(spent.tokens));
  return parts;
}

function totalOf(stats: StateFields['stats']): Spent {
  return Object.values(stats).reduce<Spent>(
    (sum, usage) => ({
      cost: sum.cost + usage.cost,
      tokens: sum.tokens + usage.promptTokens + usage.completionTokens,
      calls: sum.calls + usage.calls,
    }),
    nothing,
  );
}

function wireTotal(value: JsonValue | undefined): Spent {
  const usages = Object.values(members(members(value)['usage_to_metrics']));
  return usages.reduce<Spent>((sum, usage) => {
    const used = members(members(usage)['accumulated_token_usage']);
    return {
      cost: sum.cost + count(members(usage)['accumulated_cost']),
      tokens: sum.tokens + count(used['prompt_tokens']) + count(used['completion_tokens']),
      calls: 0,
    };
  }, nothing);
}

function members(value: JsonValue | undefined): { readonly [name: string]: JsonValue } {
  const isObject = (candidate: JsonValue | undefined): candidate is { readonly [name: string]: JsonValue } =>
    typeof candidate === 'object' && candidate !== null && !Array.isArray(candidate);
  return isObject(value) ? value : {};
}

function count(value: JsonValue | undefined): number {
  return typeof value === 'number' ? value : 0;
}

function difference(later: Spent, earlier: Spent): Spent {
  return {
    cost: later.cost - earlier.cost,
    tokens: later.tokens - earlier.tokens,
    calls: later.calls - earlier.calls,
  };
}
