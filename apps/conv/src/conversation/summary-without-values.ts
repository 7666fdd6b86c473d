import { type Cipher, projections } from '@conv/core';
import type { ConversationStore, ConversationSummary } from '@conv/core/store';
import { createSecretVault } from '@conv/secrets';

/** Masks values of secrets in a summary. Reads the state of its conversation. */
export async function withoutValues(
  store: ConversationStore,
  summary: ConversationSummary,
  cipher: Cipher,
): Promise<ConversationSummary> {
  const { title, tags } = summary;
  if (title === null && Object.keys(tags).length === 0) return summary;
  const reader = await store.read(summary.id).catch(() => undefined);
  if (!reader) return summary;
  try {
    const vault = createSecretVault({ cipher });
    vault.load((await projections.readState(reader)).fields);
    const mask = (text: string): string => vault.masker.mask(text);
    const entries = Object.entries(tags).map(([name, value]) => [name, mask(value)] as const);
    return { ...summary, title: title === null ? null : mask(title), tags: Object.fromEntries(entries) };
  } catch {
    // nothing of a state that cannot be read says which values it has
    return { ...summary, title: null, tags: {} };
  } finally {
    await reader.close();
  }
}
