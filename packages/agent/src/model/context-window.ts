import type { Model } from './model.ts';
import { listedContextWindow } from './price-table.ts';

/** Resolves the tokens that a model can read: as given, else as public tables say; `undefined` for a model in none of them. */
export async function contextWindowOf({
  name,
  contextWindow,
}: Pick<Model, 'name' | 'contextWindow'>): Promise<number | undefined> {
  return contextWindow ?? (await listedContextWindow(name));
}
