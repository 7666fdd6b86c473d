import type { Model } from './model.ts';
import { secretsIn } from './secret-names.ts';

/** The keys that a model and its fallbacks are called with: those that were given as such, and those in the headers that they send. */
export function keysOf(model: Model): readonly string[] {
  const headers = Object.entries(model.settings?.headers ?? {});
  return [
    ...Object.values(model.secrets()),
    ...headers.flatMap(([name, value]) => secretsIn(name, value ?? '')),
    ...(model.fallbacks ?? []).flatMap(keysOf),
  ];
}
