import { isDeepStrictEqual } from 'node:util';
import { checks, projections, type StateFields, type StoredSecrets } from '@conv/core';
import type { ConversationStore } from '@conv/core/store';

import { readFields } from './read-fields.ts';
import { takeBackAllowed } from '../rules/approvals.ts';
import type { ChildInside } from './child-host.ts';
import { pickSecrets } from '../safeguards/conversation-secrets.ts';
import type { RiskAssessments } from '../safeguards/risk-assessments.ts';

/** Settings and secrets that a new child conversation takes from its parent. */
export interface Inherited {
  /** The given settings, made as strict as the parent's. */
  readonly given: Partial<StateFields>;
  readonly secrets: StoredSecrets;
}

/**
 * Returns the settings of a new conversation that belongs to `parentId`, from the store. Returns `undefined` when the
 * conversation exists already, because it has its own settings. Rejects `INVALID_INPUT` when the store does not have the parent.
 */
export async function inheritSettings(
  store: ConversationStore,
  { id, parentId, given }: { readonly id: string; readonly parentId: string; readonly given: Partial<StateFields> },
): Promise<Inherited | undefined> {
  const existing = await store.read(id);
  await existing?.close();
  if (existing) return undefined;
  const fields = await readFields(store, parentId);
  if (!fields) throw checks.invalid(`parentId: the store has no conversation ${parentId}; make the parent first`);
  return { given: asStrictAs(fields, given), secrets: pickSecrets(fields) };
}

/** Returns the given settings, made at least as strict as the parent's (P10). The parent's analyzer and hooks win. */
function asStrictAs(parent: StateFields, given: Partial<StateFields>): Partial<StateFields> {
  return { ...given, ...projections.strictSettings(parent, given) };
}

/** Returns the settings of a stored conversation that works for its parent again: as strict as both are by now. */
export function stillAsStrictAs(
  parent: StateFields,
  stored: StateFields,
  given: Partial<StateFields>,
): Partial<StateFields> {
  return asStrictAs(parent, asStrictAs(stored, given));
}

/** Makes a child at work as strict as its parent. Its hooks stay, because they are its parent's. */
export async function tighten(child: ChildInside, parent: StateFields, parentRisks: RiskAssessments): Promise<void> {
  const { state, risks } = child;
  const { hookConfig: _, ...wanted } = projections.strictSettings(parent, state.accepted);
  if (
    Object.entries(wanted).every(([key, value]) => isDeepStrictEqual(state.accepted[key as keyof StateFields], value))
  )
    return;
  await state.transaction((transaction) => {
    const { hookConfig: _hooks, ...set } = projections.strictSettings(parent, transaction.state);
    transaction.update({ set });
    const analyzer = set.securityAnalyzer;
    const own = analyzer ? parentRisks.ownOf(analyzer) : undefined;
    if (own && analyzer) risks.use(analyzer, own);
    takeBackAllowed(transaction, risks);
  });
  await child.tighten();
}
