import { readState, stricterPolicy, type StateFields, type StoredSecrets } from '@conv/core';
import type { ConversationStore } from '@conv/core/store';

import { invalid } from './check-settings.ts';
import { pickSecrets } from './conversation-secrets.ts';

/** What a conversation that belongs to another has from it. */
export interface Inherited {
  /** What was given, as strict as the parent. */
  readonly given: Partial<StateFields>;
  readonly secrets: StoredSecrets;
}

/**
 * The settings of a new conversation that belongs to `parentId`, from what is stored of both. `undefined` when
 * the conversation is there already: it has its own. Rejects `INVALID_INPUT` when the store does not have the parent.
 */
export async function inheritSettings(
  store: ConversationStore,
  { id, parentId, given }: { readonly id: string; readonly parentId: string; readonly given: Partial<StateFields> },
): Promise<Inherited | undefined> {
  const existing = await store.read(id);
  await existing?.close();
  if (existing) return undefined;
  const reader = await store.read(parentId);
  if (!reader) throw invalid(`parentId: the store has no conversation ${parentId}`);
  try {
    const { fields } = await readState(reader);
    return { given: asStrictAs(fields, given), secrets: pickSecrets(fields) };
  } finally {
    await reader.close();
  }
}

/** What was given, made at least as strict as the parent (P10). Of two analyzers and of two sets of hooks the parent's stay. */
function asStrictAs(parent: StateFields, given: Partial<StateFields>): Partial<StateFields> {
  const policy = given.confirmationPolicy;
  return {
    ...given,
    confirmationPolicy: policy ? stricterPolicy(parent.confirmationPolicy, policy) : parent.confirmationPolicy,
    securityAnalyzer: parent.securityAnalyzer ?? given.securityAnalyzer ?? null,
    hookConfig: parent.hookConfig ?? given.hookConfig ?? null,
    stuckDetection: parent.stuckDetection || (given.stuckDetection ?? false),
    maxIterations: Math.min(parent.maxIterations, given.maxIterations ?? parent.maxIterations),
    maxBudgetPerRun: smaller(parent.maxBudgetPerRun, given.maxBudgetPerRun),
    maxBudget: smaller(parent.maxBudget, given.maxBudget),
    toolTimeout: smaller(parent.toolTimeout, given.toolTimeout),
  };
}

function smaller(parent: number | null, given: number | null | undefined): number | null {
  if (parent === null || given === null || given === undefined) return parent ?? given ?? null;
  return Math.min(parent, given);
}
