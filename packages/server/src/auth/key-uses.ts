import type { Json, JsonObject } from '@conv/core';
import type { Platform } from '@conv/core/platform';
import type { Registry } from '@conv/store-kit/registry';

/** The kind of these records in a registry. Their names begin with the time, so lists are in its order. */
const KIND = 'key-uses';

/** Milliseconds for which uses are kept. */
const KEPT = 400 * 86_400_000;

/** A request that a named key made, which no log has. */
export interface KeyUse {
  /** Name of the key. */
  readonly by: string;
  /** UTC, ISO 8601. */
  readonly at: string;
  /** The operation, as the OpenAPI document names it, such as `delete_conversation`. */
  readonly route: string;
  /** Null for a request about no conversation. */
  readonly conversation: string | null;
}

/** Keeps uses of keys for 400 days. */
export class KeyUses {
  readonly #registry: Registry;
  readonly #platform: Pick<Platform, 'now' | 'id'>;
  #tidiedAt = -Infinity;

  constructor(registry: Registry, platform: Pick<Platform, 'now' | 'id'>) {
    this.#registry = registry;
    this.#platform = platform;
  }

  /** Records a use. Resolves when it is durable. Rejects `RegistryError`. */
  async add(use: KeyUse): Promise<void> {
    const name = `${use.at} ${this.#platform.id()}`;
    await this.#registry.put(KIND, name, { ...use }, { expected: null });
    const now = this.#platform.now();
    if (now - this.#tidiedAt < 86_400_000) return;
    this.#tidiedAt = now;
    await this.#removeBefore(new Date(now - KEPT).toISOString());
  }

  async #removeBefore(time: string): Promise<void> {
    for (const name of (await this.#registry.marks(KIND)).keys()) {
      if (name >= time) continue;
      const entry = await this.#registry.get(KIND, name);
      // another server may remove it, too; what is left is removed tomorrow
      if (entry) await this.#registry.delete(KIND, name, { expected: entry.version }).catch(() => {});
    }
  }
}

/** Yields the uses in a registry, by their time. */
export async function* readKeyUses(registry: Registry): AsyncGenerator<KeyUse, void, undefined> {
  let page: string | undefined;
  do {
    const { items, next } = await keyUsePage(registry, page === undefined ? {} : { page });
    yield* items;
    page = next;
  } while (page !== undefined);
}

/** Resolves with a page of the uses in a registry, by their time. Records that cannot be read are left out. */
export async function keyUsePage(
  registry: Registry,
  query: { readonly page?: string; readonly limit?: number },
): Promise<{ readonly items: readonly KeyUse[]; readonly next: string | undefined }> {
  const { items, next } = await registry.list(KIND, query);
  return { items: items.flatMap(({ value }) => toUse(value) ?? []), next };
}

function toUse(value: Json): KeyUse | undefined {
  const { by, at, route, conversation } = Object(value) as JsonObject;
  if (typeof by !== 'string' || typeof at !== 'string' || typeof route !== 'string') return undefined;
  return { by, at, route, conversation: typeof conversation === 'string' ? conversation : null };
}
