import { StoreError, type ConversationStore, type Finding } from '@conv/core/store';

/** A conversation of which a record is lost by which a list shows it, or by which it is found. */
export interface Incomplete extends Pick<Finding, 'part' | 'message'> {
  /** A dashed UUID; `undefined` if no record tells it. */
  readonly id: string | undefined;
}

/** Resolves with the incomplete conversations of a store. A store that is not made with `BaseStore` tells of none. */
export async function incompleteIn(store: ConversationStore): Promise<readonly Incomplete[]> {
  const { incomplete } = store as { readonly incomplete?: () => Promise<readonly Incomplete[]> };
  return typeof incomplete === 'function' ? incomplete.call(store) : [];
}

/** Makes the error for conversations that cannot be copied, because nothing leads to them. */
export function cannotBeFound(found: readonly Incomplete[]): StoreError {
  return new StoreError('CORRUPT', `${found.map(({ message }) => message).join('; ')}: check the store with repair`);
}
