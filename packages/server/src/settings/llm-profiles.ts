import { REDACTED, type Cipher, type JsonObject } from '@conv/core';
import { LLM_SECRETS, readLlm } from '@conv/openhands/descriptions';
import type { LlmProfileInfo } from '@conv/openhands/rest';

import { atRest, withAsterisks } from '../http/secret-texts.ts';
import { merge } from './merge-settings.ts';
import { NamedObjects } from './named-objects.ts';
import type { SettingsDeps } from './settings-place.ts';

/** Models that clients keep under names: an LLM object each, keys encrypted. */
export class LlmProfiles extends NamedObjects {
  readonly #cipher: Cipher | undefined;

  constructor({ place, cipher }: Omit<SettingsDeps, 'platform'>) {
    super(place.llmProfiles);
    this.#cipher = cipher;
  }

  /** Resolves with all models, sorted by name. Rejects `StoredObjectError`. */
  async list(): Promise<readonly LlmProfileInfo[]> {
    return (await this.all()).map(({ name, stored }) => infoOf(name, stored));
  }

  /** Stores an LLM object; asterisks leave stored values unchanged. `check` may throw for a base URL other than the stored one. */
  async save(
    name: string,
    llm: JsonObject,
    options: { readonly includeSecrets: boolean; readonly check?: (llm: JsonObject) => void },
  ): Promise<void> {
    await this.change(name, (before) => {
      const merged = merge(before ?? {}, llm);
      if (merged['base_url'] !== before?.['base_url']) options.check?.(merged);
      const replaced = Object.fromEntries(Object.keys(llm).map((key) => [key, merged[key] ?? null]));
      const present = Object.entries(replaced).filter(([, value]) => value !== null && value !== REDACTED);
      const kept = Object.fromEntries(present) as JsonObject;
      const stored = atRest(kept, this.#cipher);
      return options.includeSecrets ? stored : withoutKeys(stored);
    });
  }
}

export function hasKey(llm: JsonObject): boolean {
  return (readLlm(llm).api_key ?? REDACTED) !== REDACTED;
}

function infoOf(name: string, llm: JsonObject): LlmProfileInfo {
  const { model = null, base_url: url, provider_connection_id = null } = readLlm(withAsterisks(llm));
  return {
    name,
    model,
    base_url: url || null,
    provider_connection_id,
    provider_connection_broken: false,
    api_key_set: hasKey(llm),
  };
}

function withoutKeys(llm: JsonObject): JsonObject {
  const secret = new Set<string>(LLM_SECRETS);
  return Object.fromEntries(Object.entries(llm).filter(([name]) => !secret.has(name)));
}
