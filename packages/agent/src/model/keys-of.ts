import { descriptionSecrets, readLlm } from '@conv/openhands/descriptions';
import type { Model } from './model.ts';

/** Returns the keys of a model and its fallbacks, those in headers and the passwords in addresses included. */
export function keysOf(model: Model): readonly string[] {
  const headers = Object.entries(model.settings?.headers ?? {});
  const { base_url: url = '' } = readLlm(model.description);
  return [
    ...Object.values(model.secrets()),
    ...headers.flatMap(([name, value]) => descriptionSecrets.secretsIn(name, value ?? '')),
    ...descriptionSecrets.passwordsIn(url),
    ...(model.fallbacks ?? []).flatMap(keysOf),
  ];
}
