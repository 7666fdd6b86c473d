import type { JsonObject, StateFields } from '@conv/core';
import { isJsonObject } from '@conv/core/platform';
import { type LocalConversation } from '@conv/local';
import { setMeta } from '@conv/local/log';

/** Metadata member with the principals that asked models beside runs, and the day on which each did so last. */
const ASKERS = 'conv_askers';

/** Returns the principals that asked on one of these days. */
export function askersIn(meta: StateFields['extra']['meta'], days: readonly string[]): readonly string[] {
  const askers = meta[ASKERS];
  if (!isJsonObject(askers)) return [];
  return Object.keys(askers).filter((name) => days.some((day) => day === askers[name]));
}

/**
 * Records that a principal is about to ask a model beside a run, so that the next owner of the conversation finds what is reserved for it. Resolves
 * when the record is durable. Drops principals that asked on none of `days`, of which the first is today.
 */
export async function recordAsker(
  { state }: LocalConversation,
  name: string,
  days: readonly [today: string, ...earlier: string[]],
): Promise<void> {
  const [today] = days;
  if (askersIn(state.fields.extra.meta, [today]).includes(name)) return;
  await state.transaction((transaction) =>
    setMeta(transaction, (meta) => {
      const kept = askersIn(meta, days).map((asker) => [asker, (meta[ASKERS] as JsonObject)[asker]] as const);
      return { ...meta, [ASKERS]: { ...Object.fromEntries(kept), [name]: today } as JsonObject };
    }),
  );
}
