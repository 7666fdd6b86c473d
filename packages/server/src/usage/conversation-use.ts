import type { JsonObject, StateFields } from '@conv/core';
import { isJsonObject } from '@conv/core/platform';
import { type LocalConversation } from '@conv/local';
import { setMeta } from '@conv/local/log';

/** Metadata member with the newest request by a named key that changed the conversation. The commit behind each change sets it. */
const USE = 'conv_use';

/** A request by a named key. */
export interface ConversationUse {
  readonly by: string;
  /** UTC, ISO 8601. */
  readonly at: string;
  /** The operation, as the OpenAPI document names it. */
  readonly route: string;
  /** Unique. */
  readonly id: string;
}

/** Returns the newest use of a conversation; `undefined` for none. */
export function useIn(meta: StateFields['extra']['meta']): ConversationUse | undefined {
  const use = meta[USE];
  return isJsonObject(use) && typeof use['by'] === 'string' ? (use as unknown as ConversationUse) : undefined;
}

/** Records a use in a commit. Resolves when it is durable. */
export async function recordUse({ state }: LocalConversation, use: ConversationUse): Promise<void> {
  await state.transaction((transaction) =>
    setMeta(transaction, (meta) => ({ ...meta, [USE]: use as unknown as JsonObject })),
  );
}
