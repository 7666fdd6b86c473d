import { REDACTED, type Cipher, type JsonObject } from '@conv/core';
import { LLM_SECRETS, readLlm } from '@conv/openhands/descriptions';
import type { llmProfileRoutes, RouteTypes } from '@conv/openhands/rest';

import { atRest, withAsterisks } from '../http/secret-texts.ts';
import { merge } from './merge-settings.ts';
import { NamedObjects } from './named-objects.ts';
import type { ProviderConnectionInfo, ProviderConnections } from './provider-connections.ts';
import type { SettingsDeps } from './settings-place.ts';

type LlmProfileInfo = RouteTypes<typeof llmProfileRoutes.list>['answer']['profiles'][number];

/** Models that clients keep under names: an LLM object each, keys encrypted. */
export class LlmProfiles extends NamedObjects {
  readonly #cipher: Cipher | undefined;
  readonly #connections: ProviderConnections;

  constructor({ place, cipher }: Omit<SettingsDeps, 'platform'>, connections: ProviderConnections) {
    super(place.llmProfiles);
    this.#cipher = cipher;
    this.#connections = connections;
  }

  /** Resolves with all models, sorted by name. Rejects `StoredObjectError`. */
  async list(): Promise<readonly LlmProfileInfo[]> {
    const [profiles, connections] = await Promise.all([this.all(), this.#connections.list()]);
    return profiles.map(({ name, stored }) => infoOf(name, stored, connections));
  }

  /**
   * Resolves with the model of this name, with the key and the address of its provider connection. Rejects as
   * {@link ProviderConnections.resolve} does.
   */
  async resolved(name: string): Promise<JsonObject | undefined> {
    const stored = await this.get(name);
    return stored && this.#connections.resolve(stored);
  }

  /** True if a stored model has a key, of its own or of its provider connection. */
  async hasKey(llm: JsonObject): Promise<boolean> {
    const { provider_connection_id: id } = readLlm(llm);
    return hasKey(llm) || (id !== undefined && (await this.#connections.get(id))?.api_key_set === true);
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
      const stored = withoutOwnKey(atRest(kept, this.#cipher));
      return options.includeSecrets ? stored : withoutKeys(stored);
    });
  }
}

export function hasKey(llm: JsonObject): boolean {
  return (readLlm(llm).api_key ?? REDACTED) !== REDACTED;
}

function infoOf(name: string, llm: JsonObject, connections: readonly ProviderConnectionInfo[]): LlmProfileInfo {
  const { model = null, base_url: url, provider_connection_id = null } = readLlm(withAsterisks(llm));
  const connection = connections.find(({ id }) => id === provider_connection_id);
  return {
    name,
    model,
    base_url: url || null,
    provider_connection_id,
    provider_connection_broken: provider_connection_id !== null && connection === undefined,
    api_key_set: hasKey(llm) || connection?.api_key_set === true,
  };
}

/** A model of a provider connection has no key and no address of its own, which could differ from those of the connection. */
function withoutOwnKey(llm: JsonObject): JsonObject {
  if (readLlm(llm).provider_connection_id === undefined) return llm;
  const { api_key: _, base_url: __, ...rest } = llm;
  return rest;
}

function withoutKeys(llm: JsonObject): JsonObject {
  const secret = new Set<string>(LLM_SECRETS);
  return Object.fromEntries(Object.entries(llm).filter(([name]) => !secret.has(name)));
}
