import { join } from 'node:path';
import type { Cipher, Json, JsonObject } from '@conv/core';

import { atRest, REDACTED, withAsterisks } from '../http/secret-texts.ts';
import { merge } from './merge-settings.ts';
import { NamedFiles } from './named-files.ts';
import type { SettingsFilesDeps } from './stored-file.ts';

export interface LlmProfileInfo {
  readonly name: string;
  readonly model: string | null;
  readonly base_url: string | null;
  readonly provider_connection_id: string | null;
  readonly provider_connection_broken: boolean;
  readonly api_key_set: boolean;
}

/** Models that clients keep under names: an LLM object each, in `profiles/<name>.json`, keys encrypted. */
export class LlmProfiles extends NamedFiles {
  readonly #cipher: Cipher | undefined;

  constructor({ directory, cipher, platform }: SettingsFilesDeps) {
    super(join(directory, 'profiles'), platform);
    this.#cipher = cipher;
  }

  /** All, by name. Rejects `StoredFileError`. */
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
  const { api_key: key } = llm;
  return typeof key === 'string' && key !== '' && key !== REDACTED;
}

function infoOf(name: string, llm: JsonObject): LlmProfileInfo {
  return {
    name,
    model: text(llm['model']),
    base_url: text(withAsterisks(llm)['base_url']),
    provider_connection_id: text(llm['provider_connection_id']),
    provider_connection_broken: false,
    api_key_set: hasKey(llm),
  };
}

function withoutKeys(llm: JsonObject): JsonObject {
  const secret = new Set(['api_key', 'aws_access_key_id', 'aws_secret_access_key', 'aws_session_token']);
  return Object.fromEntries(Object.entries(llm).filter(([name]) => !secret.has(name)));
}

function text(value: Json | undefined): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}
