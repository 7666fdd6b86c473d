import type { Cipher, JsonObject } from '@conv/core';
import { isJsonObject } from '@conv/core/platform';

import { checkRegistry } from './check-entry.ts';
import { isRegistryError, RegistryError } from './registry-error.ts';
import type { Registry, RegistryEntry } from './registry.ts';

/** A record as it was read, and the version that a change of it expects. */
export interface DecryptedRecord {
  readonly value: JsonObject;
  readonly version: string;
}

/** Records of one kind in a registry, encrypted as a whole. All methods reject `RegistryError` as the registry does. */
export interface EncryptedRecords {
  /** Resolves with a record; `undefined` if there is none. A record that no key opens is an empty object, which a change replaces. */
  get(name: string): Promise<DecryptedRecord | undefined>;
  /**
   * Stores a record durably, or removes it with `undefined`. Resolves with false, and changes nothing, if another version is stored than
   * `expected`; null expects that there is none.
   */
  replace(name: string, value: JsonObject | undefined, expected: string | null): Promise<boolean>;
  /** Resolves with the names of all records, and maybe of some that were removed. */
  names(): Promise<readonly string[]>;
  /** Encrypts each record of an older key with the newest key. `left` receives the error of each record that stays as it is. */
  renew(left: (error: unknown) => void): Promise<void>;
}

/**
 * Returns the records of a kind, whose values only a cipher reads. A ciphertext is that of its name: in the place of another record no key
 * opens it. Throws `TypeError` if `registry` is no registry, and `RegistryError` `INVALID` for a kind that is none.
 *
 * @param unreadable - Called with the name of each record that is read and that no key opens. Default: nothing is called.
 */
export function encryptedRecords(
  registry: Registry,
  kind: string,
  cipher: Cipher,
  unreadable: (name: string) => void = () => {},
): EncryptedRecords {
  checkRegistry('encryptedRecords', registry);
  return {
    get: async (name) => {
      const entry = await registry.get(kind, name);
      if (!entry) return undefined;
      const value = plainOf(entry, cipher);
      if (value === undefined) unreadable(name);
      return { value: value ?? {}, version: entry.version };
    },
    replace: async (name, value, expected) => {
      const stored = value && { encrypted: cipher.encrypt(JSON.stringify([name, value])) };
      try {
        if (stored) await registry.put(kind, name, stored, { expected });
        else if (expected !== null) await registry.delete(kind, name, { expected });
        else return (await registry.get(kind, name)) === undefined;
        return true;
      } catch (error) {
        const isConflict = isRegistryError(error, 'CONFLICT');
        if (!isConflict && !isRegistryError(error, 'UNAVAILABLE')) throw error;
        // an answer may be lost after the change was made, and no other change has this ciphertext
        const now = await registry.get(kind, name);
        if (tokenOf(now) === stored?.encrypted && (stored || !now)) return true;
        if (isConflict) return false;
        throw error;
      }
    },
    names: async () => [...(await registry.marks(kind)).keys()],
    renew: async (left) => {
      for (const name of (await registry.marks(kind)).keys())
        await renewOne(registry, { kind, name, cipher }).catch(left);
    },
  };
}

async function renewOne(
  registry: Registry,
  { kind, name, cipher }: { readonly kind: string; readonly name: string; readonly cipher: Cipher },
): Promise<void> {
  for (;;) {
    const entry = await registry.get(kind, name);
    if (!entry) return;
    if (plainOf(entry, cipher) === undefined)
      throw new RegistryError(
        'DAMAGED',
        `${kind}/${name}: expected a record of the given keys, found one that none of them opens; give the key that encrypted it as an older key`,
      );
    const token = tokenOf(entry) ?? '';
    const encrypted = cipher.renew?.(token) ?? token;
    if (encrypted === token) return;
    try {
      await registry.put(kind, name, { encrypted }, { expected: entry.version });
      return;
    } catch (error) {
      // the record that another process stored meanwhile may have an older key, too
      if (!isRegistryError(error, 'CONFLICT')) throw error;
    }
  }
}

function tokenOf(entry: RegistryEntry | undefined): string | undefined {
  const token = isJsonObject(entry?.value) ? entry.value['encrypted'] : undefined;
  return typeof token === 'string' ? token : undefined;
}

/** Returns the value of a record; `undefined` if no key opens it, or if it is that of another name. */
function plainOf(entry: RegistryEntry, cipher: Cipher): JsonObject | undefined {
  const token = tokenOf(entry);
  const plain = token === undefined ? undefined : cipher.decrypt(token);
  if (plain === undefined) return undefined;
  const [name, value] = parsed(plain);
  return name === entry.name && isJsonObject(value) ? value : undefined;
}

function parsed(text: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
