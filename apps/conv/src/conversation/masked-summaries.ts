import type { ConversationStore, ConversationSummary } from '@conv/core/store';

import { secretKey } from './secret-key-variable.ts';

/**
 * Masks values of secrets in summaries, because titles and tags may hold a value from before it was registered. Reads the state of
 * each conversation with secrets, if the key of their values is available.
 */
export async function maskedSummaries(
  store: ConversationStore,
  summaries: readonly ConversationSummary[],
): Promise<readonly ConversationSummary[]> {
  if (secretKey() === '') return summaries;
  // imported here, because a list without a key does without vaults
  const [{ atRest }, { withoutValues }] = await Promise.all([
    import('./at-rest.ts'),
    import('./summary-without-values.ts'),
  ]);
  const { cipher } = atRest();
  if (!cipher) return summaries;
  const masked: ConversationSummary[] = [];
  for (const summary of summaries) masked.push(await withoutValues(store, summary, cipher));
  return masked;
}
