import { projections } from '@conv/core';
import type { ConversationStore, ConversationSummary } from '@conv/core/store';
import { createSecretVault } from '@conv/secrets';

import { atRest } from './at-rest.ts';

/**
 * Masks values of secrets in summaries, because titles and tags may hold a value from before it was registered. Reads the state of
 * each conversation with secrets, if the key of their values is available.
 */
export async function maskedSummaries(
  store: ConversationStore,
  summaries: readonly ConversationSummary[],
): Promise<readonly ConversationSummary[]> {
  const { cipher } = atRest();
  if (!cipher) return summaries;
  const masked: ConversationSummary[] = [];
  for (const summary of summaries) masked.push(await withoutValues(store, summary, cipher));
  return masked;
}

async function withoutValues(
  store: ConversationStore,
  summary: ConversationSummary,
  cipher: NonNullable<ReturnType<typeof atRest>['cipher']>,
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
