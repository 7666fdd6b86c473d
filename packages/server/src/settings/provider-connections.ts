import { REDACTED, type Cipher, type JsonObject } from '@conv/core';
import { isJsonObject, type Platform } from '@conv/core/platform';
import { readLlm } from '@conv/openhands/descriptions';
import type { modelStoreRoutes, RouteTypes } from '@conv/openhands/rest';

import { ApiError } from '../http/api-error.ts';
import { atRest, withAsterisks } from '../http/secret-texts.ts';
import type { SettingsDeps, StoredObject } from './settings-place.ts';
import { StoredObjectError } from './stored-object-error.ts';

/** A connection as clients see it: without its key. */
export type ProviderConnectionInfo = RouteTypes<typeof modelStoreRoutes.connections.list>['answer'][number];

/** The most connections that are kept, as on OpenHands' server. */
export const MAX_CONNECTIONS = 64;

const SCHEMA_VERSION = 1;

/** A connection as a client gives it. */
export type GivenConnection = Pick<ProviderConnectionInfo, 'display_name' | 'provider' | 'base_url'> & {
  readonly api_key: string;
};

/** A stored connection; its key is encrypted. */
interface StoredConnection {
  readonly id: string;
  readonly display_name: string;
  readonly provider?: string;
  readonly api_key?: string | null;
  readonly base_url?: string | null;
  readonly created_at: number;
  readonly updated_at: number;
}

/** Keys and addresses of providers of models, which several profiles share. They are kept in one object, as OpenHands keeps them. */
export class ProviderConnections {
  /** @internal */
  readonly object: StoredObject;
  readonly #cipher: Cipher | undefined;
  readonly #platform: Pick<Platform, 'id' | 'now'>;

  constructor({ place, cipher, platform }: SettingsDeps) {
    this.object = place.providerConnections;
    this.#cipher = cipher;
    this.#platform = platform;
  }

  /** Resolves with all connections, in the order in which they were made. Rejects `StoredObjectError`. */
  async list(): Promise<readonly ProviderConnectionInfo[]> {
    return (await this.#all()).map(infoOf);
  }

  async get(id: string): Promise<ProviderConnectionInfo | undefined> {
    const found = (await this.#all()).find((one) => one.id === id);
    return found && infoOf(found);
  }

  /** Stores a new connection. Resolves with `undefined` if there are too many. */
  async create(given: GivenConnection): Promise<ProviderConnectionInfo | undefined> {
    const [id, now] = [this.#platform.id().replaceAll('-', ''), this.#now()];
    const made: StoredConnection = { id, ...given, created_at: now, updated_at: now };
    let isFull = false;
    await this.#change((before) => {
      isFull = before.length >= MAX_CONNECTIONS;
      return isFull ? undefined : [...before, made];
    });
    return isFull ? undefined : this.get(id);
  }

  /** Changes the given members. Resolves with `undefined` if there is no such connection. */
  async update(id: string, changes: Partial<GivenConnection>): Promise<ProviderConnectionInfo | undefined> {
    await this.#change((before) => {
      if (!before.some((one) => one.id === id)) return undefined;
      return before.map((one) => (one.id === id ? { ...one, ...changes, updated_at: this.#now() } : one));
    });
    return this.get(id);
  }

  /** Removes a connection. Resolves with the connection; `undefined` if there was none. */
  async delete(id: string): Promise<ProviderConnectionInfo | undefined> {
    let removed: StoredConnection | undefined;
    await this.#change((before) => {
      removed = before.find((one) => one.id === id);
      return removed && before.filter((one) => one !== removed);
    });
    return removed && infoOf(removed);
  }

  /**
   * Resolves with an LLM object that has the key and the address of the connection that it names, the key encrypted. An object without one
   * stays as it is. Rejects {@link ApiError} 422 if there is no such connection, unless the object has a key; and `StoredObjectError`.
   */
  async resolve(llm: JsonObject): Promise<JsonObject> {
    const { provider_connection_id: id, api_key: own = REDACTED } = readLlm(llm);
    if (id === undefined) return llm;
    const connection = (await this.#all()).find((one) => one.id === id);
    if (connection === undefined) {
      if (own.trim() !== '' && own !== REDACTED) return llm;
      throw new ApiError(
        422,
        `the model names the provider connection '${id}', which does not exist; change the profile, or make the connection again`,
      );
    }
    const { api_key: key = null, base_url = null } = connection;
    // never the address of the object with the key of the connection
    return { ...llm, base_url, ...(hasKey(connection) ? { api_key: key } : {}) };
  }

  #now(): number {
    return Math.floor(this.#platform.now() / 1000);
  }

  async #all(): Promise<readonly StoredConnection[]> {
    return this.#in(await this.object.read());
  }

  async #change(work: (before: readonly StoredConnection[]) => readonly StoredConnection[] | undefined): Promise<void> {
    await this.object.change((stored) => {
      const after = work(this.#in(stored));
      if (after === undefined) return undefined;
      const kept = { ...stored, schema_version: SCHEMA_VERSION, connections: after } as unknown as JsonObject;
      return atRest(kept, this.#cipher);
    });
  }

  /** Throws {@link StoredObjectError} for connections of a newer release, which a change would damage. */
  #in(stored: JsonObject | undefined): readonly StoredConnection[] {
    if (stored === undefined) return [];
    const { schema_version: version = SCHEMA_VERSION, connections = [] } = stored;
    const isKnown = typeof version === 'number' && version <= SCHEMA_VERSION && Array.isArray(connections);
    if (!isKnown || !connections.every(isConnection)) throw new StoredObjectError(this.object.place);
    return connections as unknown as readonly StoredConnection[];
  }
}

function isConnection(value: unknown): boolean {
  return isJsonObject(value) && typeof value['id'] === 'string' && typeof value['display_name'] === 'string';
}

function hasKey({ api_key: key }: StoredConnection): boolean {
  return typeof key === 'string' && key.trim() !== '' && key !== REDACTED;
}

function infoOf(connection: StoredConnection): ProviderConnectionInfo {
  const { id, display_name, provider = 'custom', api_key: _, base_url = null, ...rest } = connection;
  const { created_at, updated_at, ...newer } = rest;
  // a password in the address is stored as a secret; members of newer releases may hold secrets
  const shown = withAsterisks({ ...(newer as JsonObject), base_url }, 'telling');
  return { id, display_name, provider, ...shown, created_at, updated_at, api_key_set: hasKey(connection) };
}
