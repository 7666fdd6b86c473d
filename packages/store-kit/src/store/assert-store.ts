import { checks } from '@conv/core';
import type { ConversationStore } from '@conv/core/store';

/** Throws `TypeError` for a value that is not a store. */
export function assertStore(store: ConversationStore, place: string): void {
  if (typeof store?.open === 'function') return;
  throw new TypeError(checks.wrongValue(place, 'a store such as new FsStore({ directory })', store));
}
