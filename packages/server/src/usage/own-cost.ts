import type { StateFields } from '@conv/core';

/** Returns what a conversation itself did cost, without the conversations of its sub-agents, which are counted on their own. */
export function ownCost(stats: StateFields['stats']): number {
  return Object.entries(stats).reduce((sum, [usage, { cost }]) => (usage.startsWith('task:') ? sum : sum + cost), 0);
}
