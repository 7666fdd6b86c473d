import type { JsonObject } from '@conv/core';
import { isJsonObject } from '@conv/core/platform';
import { isRegistryError, type Registry, type RegistryEntry } from '@conv/store-kit/registry';

import type { ObjectsByName, SettingsPlace, StoredObject } from './settings-place.ts';
import { StoredObjectError } from './stored-object-error.ts';

/** Returns the records in a registry, which all servers of a fleet share. */
export function settingsRecords(registry: Registry): SettingsPlace {
  const record = (name: string): StoredObject => new StoredRecord(registry, 'settings', name);
  return {
    settings: record('settings'),
    secrets: record('secrets'),
    workspaces: record('workspaces'),
    providerConnections: record('provider-connections'),
    llmProfiles: recordsOf(registry, 'llm-profiles'),
    agentProfiles: recordsOf(registry, 'agent-profiles'),
    metaProfiles: recordsOf(registry, 'meta-profiles'),
  };
}

function recordsOf(registry: Registry, kind: string): ObjectsByName {
  return {
    names: async () => {
      const marks = await registry.marks(kind);
      const found = await Promise.all(
        Array.from(marks.keys(), async (name) => ({ name, isThere: await isThere(registry, kind, name) })),
      );
      return found.filter((one) => one.isThere).map(({ name }) => name);
    },
    object: (name) => new StoredRecord(registry, kind, name),
  };
}

/** True if there is a record, also if it cannot be read. */
async function isThere(registry: Registry, kind: string, name: string): Promise<boolean> {
  try {
    return (await registry.get(kind, name)) !== undefined;
  } catch (error) {
    if (isRegistryError(error, 'DAMAGED')) return true;
    throw error;
  }
}

/** A JSON object in a record of a registry. */
class StoredRecord implements StoredObject {
  readonly place: string;
  readonly #registry: Registry;
  readonly #kind: string;
  readonly #name: string;

  constructor(registry: Registry, kind: string, name: string) {
    this.place = `${kind}/${name} of the registry`;
    this.#registry = registry;
    this.#kind = kind;
    this.#name = name;
  }

  async read(): Promise<JsonObject | undefined> {
    return this.#objectIn(await this.#entry());
  }

  async change(work: (before: JsonObject | undefined) => JsonObject | undefined): Promise<void> {
    await this.#attempt(async () => {
      const held = await this.#entry();
      const after = work(this.#objectIn(held));
      if (after) await this.#registry.put(this.#kind, this.#name, after, { expected: held?.version ?? null });
    });
  }

  async remove(): Promise<boolean> {
    return this.#attempt(async () => {
      const held = await this.#entry();
      if (!held) return false;
      await this.#registry.delete(this.#kind, this.#name, { expected: held.version });
      return true;
    });
  }

  /** Runs `work` again for as long as other processes are first. */
  async #attempt<Value>(work: () => Promise<Value>): Promise<Value> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!isRegistryError(error, 'CONFLICT')) throw error;
      }
    }
  }

  async #entry(): Promise<RegistryEntry | undefined> {
    try {
      return await this.#registry.get(this.#kind, this.#name);
    } catch (cause) {
      if (!isRegistryError(cause, 'DAMAGED')) throw cause;
      throw new StoredObjectError(this.place, { cause });
    }
  }

  #objectIn(entry: RegistryEntry | undefined): JsonObject | undefined {
    if (entry === undefined) return undefined;
    if (isJsonObject(entry.value)) return entry.value;
    throw new StoredObjectError(this.place);
  }
}
