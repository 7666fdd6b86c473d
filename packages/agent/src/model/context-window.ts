import type { Model } from './model.ts';
import { listedContextWindow } from './price-table.ts';

/** Resolves with the context window in tokens, as given or from the public tables; `undefined` for a model in none of them. */
export async function contextWindowOf({
  name,
  contextWindow,
}: Pick<Model, 'name' | 'contextWindow'>): Promise<number | undefined> {
  return contextWindow ?? (await listedContextWindow(name));
}
