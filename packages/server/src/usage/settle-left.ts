import type { StateFields } from '@conv/core';
import type { ConversationStore } from '@conv/core/store';
import type { LocalConversation } from '@conv/local';

import { settle, takeBackRun, type DayUsage, type Held } from './day-usage.ts';
import { runStartIn } from './run-start.ts';
import { ownCost } from './own-cost.ts';
import type { UsageLedger } from './usage-ledger.ts';

export interface LeftDeps {
  readonly conversation: LocalConversation;
  /** The name of the principal whose record is settled. */
  readonly by: string;
  /** The days of its records. */
  readonly days: readonly string[];
  readonly ledger: UsageLedger;
  readonly store: Pick<ConversationStore, 'read'>;
  /** Resolves with the totals of a stored conversation; empty if there is none. */
  readonly statsOf: (conversationId: string) => Promise<StateFields['stats']>;
}

/**
 * Settles the runs and calls that an earlier owner of a conversation held and that ended with its process. The log tells what became of them:
 * a run began if a commit behind its record says so, and calls did cost what the conversation costs now and did not before. Only the
 * owner may call this, when no run is on.
 */
export async function settleLeft(deps: LeftDeps): Promise<void> {
  const { ledger, by, days } = deps;
  for (const day of days) {
    const left = leftIn(await ledger.read(by, day), deps.conversation.id);
    if (left.length === 0) continue;
    const outcomes = await outcomesOf(left, deps);
    await ledger.change(by, day, (usage) => outcomes.reduce((changed, outcome) => outcome(changed), usage));
  }
}

type Outcome = (usage: DayUsage) => DayUsage;

type Left = readonly [id: string, held: Held];

function leftIn({ held }: DayUsage, root: string): readonly Left[] {
  return Object.entries(held).filter(([, one]) => one.root === root);
}

async function outcomesOf(left: readonly Left[], deps: LeftDeps): Promise<readonly Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const [id, { what }] of left) {
    if (what !== 'run') continue;
    const began = await hasBegun(id, deps);
    outcomes.push((usage) => (began ? settle(usage, id) : takeBackRun(usage, id)));
  }
  const calls = left.filter(([, { what }]) => what === 'call');
  for (const conversation of new Set(calls.map(([, held]) => held.conversation))) {
    const own = calls.filter(([, held]) => held.conversation === conversation);
    const costs = own.flatMap(([, { before }]) => before ?? []);
    const now = costs.length === 0 ? 0 : ownCost(await statsOf(conversation, deps));
    // the calls of a conversation share what was added since the first of them
    const added = costs.length === 0 ? 0 : Math.max(0, now - Math.min(...costs));
    for (const [at, [id]] of own.entries()) outcomes.push((usage) => settle(usage, id, at === 0 ? added : 0));
  }
  return outcomes;
}

async function statsOf(id: string, { conversation, statsOf: stored }: LeftDeps): Promise<StateFields['stats']> {
  return id === conversation.id ? conversation.state.fields.stats : stored(id);
}

/** True if the log says `running` behind the record of this start. */
async function hasBegun(id: string, { conversation, store }: LeftDeps): Promise<boolean> {
  const reader = await store.read(conversation.id);
  if (!reader) return false;
  try {
    let isRecorded = false;
    for await (const { patch } of reader.commits()) {
      const { extra, executionStatus } = patch?.set ?? {};
      const wasRecorded = isRecorded;
      if (extra) isRecorded = runStartIn(extra.meta)?.id === id;
      if (wasRecorded && isRecorded && executionStatus === 'running') return true;
    }
    return false;
  } finally {
    await reader.close();
  }
}
