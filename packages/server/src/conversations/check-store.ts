import { checks } from '@conv/core';
import type { ConversationStore } from '@conv/core/store';

/** Throws `TypeError` unless `store` is a store. `place` names the function that got it. */
export function checkGivenStore(place: string, store: ConversationStore): void {
  const given: Partial<ConversationStore> | null | undefined = store;
  if (typeof given?.list === 'function' && typeof given.read === 'function') return;
  throw new TypeError(checks.wrongValue(`${place}: store`, 'a store, such as new FsStore({ directory })', store));
}
