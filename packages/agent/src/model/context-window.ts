import type { Model } from './model.ts';
import { listedContextWindow } from './price-table.ts';

/** Tokens that a model can read: as it was given, else as public tables say; `undefined` when nobody knows. */
export function contextWindowOf({ name, contextWindow }: Pick<Model, 'name' | 'contextWindow'>): number | undefined {
  return contextWindow ?? listedContextWindow(name);
}
