import type { ConversationView } from '@conv/core';
import { isObject } from '@conv/core/platform';

import type { CallItem } from './turn-item.ts';

/** Metadata member with the times at which a person was asked and the milliseconds for which each waits, as `@conv/local` stores them. */
const ASKED = 'conv_asked';

/** Returns the time at which a call that waits for a person is rejected; nothing if it waits without a limit, or not at all. */
export function questionEnd(
  actionId: string,
  { id, extra }: Pick<ConversationView, 'id' | 'extra'>,
): Pick<CallItem, 'expiresAt'> {
  const asked: unknown = extra.meta[ASKED];
  if (!isObject(asked) || asked['conversation'] !== id || !isObject(asked['times'])) return {};
  const end = new Date(Date.parse(String(asked['times'][actionId])) + Number(asked['timeout'] ?? Number.NaN));
  return Number.isNaN(end.getTime()) ? {} : { expiresAt: end.toISOString() };
}

/** Returns what a person is to know before a decision on a call that waits: the analyzer's reasons, and the end of the question. */
export function questionNotes({ expiresAt, reasons }: Pick<CallItem, 'expiresAt' | 'reasons'>): readonly string[] {
  return expiresAt === undefined ? reasons : [...reasons, `without a decision it is rejected at ${expiresAt}`];
}
