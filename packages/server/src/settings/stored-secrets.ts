import type { Cipher, Json, JsonObject } from '@conv/core';
import { isJsonObject } from '@conv/core/platform';

import type { SettingsDeps, StoredObject } from './settings-place.ts';
import { StoredObjectError } from './stored-object-error.ts';

/** A secret that clients keep, without its value. */
export interface StoredSecret {
  readonly name: string;
  readonly description: string | null;
}

/**
 * The secrets that clients store for conversations. Values are encrypted; without a cipher they are only in memory.
 */
export class ClientSecrets {
  /** @internal */
  readonly object: StoredObject;
  readonly #cipher: Cipher | undefined;
  readonly #values = new Map<string, string>();

  constructor({ place, cipher }: Omit<SettingsDeps, 'platform'>) {
    this.object = place.secrets;
    this.#cipher = cipher;
  }

  /** Resolves with all secrets, sorted by name. Rejects `StoredObjectError`. */
  async list(): Promise<readonly StoredSecret[]> {
    const secrets = secretsOf(await this.object.read());
    return Object.keys(secrets)
      .toSorted()
      .map((name) => ({ name, description: descriptionOf(secrets[name]) }));
  }

  /** Resolves with the value, if there is one. Rejects `StoredObjectError` for a value that was encrypted with another key. */
  async value(name: string): Promise<string | undefined> {
    const secrets = secretsOf(await this.object.read());
    const stored = Object.hasOwn(secrets, name) ? secrets[name] : undefined;
    if (!isJsonObject(stored)) return undefined;
    const inMemory = this.#values.get(name);
    if (this.#cipher === undefined || typeof stored['secret'] !== 'string') return inMemory;
    const plain = this.#cipher.decrypt(stored['secret']);
    if (plain === undefined) throw new StoredObjectError(this.object.place);
    return plain;
  }

  /** Adds or replaces the secret of this name. An omitted description stays. */
  async set(name: string, value: string, description: string | null | undefined): Promise<StoredSecret> {
    let kept: StoredSecret = { name, description: description ?? null };
    await this.object.change((stored) => {
      const secrets = secretsOf(stored);
      const before = Object.hasOwn(secrets, name) ? secrets[name] : undefined;
      kept = { name, description: description === undefined ? descriptionOf(before) : description };
      const secret = this.#cipher?.encrypt(value) ?? null;
      return { ...stored, custom_secrets: { ...secrets, [name]: { ...membersOf(before), ...kept, secret } } };
    });
    if (!this.#cipher) this.#values.set(name, value);
    return kept;
  }

  /** Removes the secret. Resolves with true if it existed. */
  async delete(name: string): Promise<boolean> {
    let found = false;
    await this.object.change((stored) => {
      const secrets = secretsOf(stored);
      found = Object.hasOwn(secrets, name);
      if (!found) return undefined;
      const { [name]: _, ...rest } = secrets;
      return { ...stored, custom_secrets: rest };
    });
    this.#values.delete(name);
    return found;
  }
}

function secretsOf(stored: JsonObject | undefined): JsonObject {
  const secrets = stored?.['custom_secrets'];
  return isJsonObject(secrets) ? secrets : {};
}

/** Returns the members of a stored secret, those of newer releases among them. */
function membersOf(secret: Json | undefined): JsonObject {
  return isJsonObject(secret) ? secret : {};
}

function descriptionOf(secret: Json | undefined): string | null {
  const description = isJsonObject(secret) ? secret['description'] : undefined;
  return typeof description === 'string' && description !== '' ? description : null;
}
