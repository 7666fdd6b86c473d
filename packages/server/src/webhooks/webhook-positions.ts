import type { Json, JsonObject } from '@conv/core';
import { isoNow, type Platform } from '@conv/core/platform';
import { toConversationKey } from '@conv/core/store';
import { isRegistryError, type Registry, type RegistryEntry } from '@conv/store-kit/registry';

/** The kind of these records in a registry. Their names are the webhook, a slash and the conversation without dashes. */
const KIND = 'webhooks';

/** The progress of a receiver in the log of a conversation. */
export interface Position {
  /** Number of the next event. */
  readonly event: number;
  /** The end of a batch that was begun; its repetition must have the same events. Null between batches. */
  readonly batchEnd: number | null;
  /** Digest of the state that it was told last; null before the first. */
  readonly state: string | null;
  /** Number of states that it was told. */
  readonly states: number;
}

/** A position as it is stored. */
export interface StoredPosition extends Position {
  /** The server that works on it; null if none does. */
  readonly holder: string | null;
  readonly version: string;
}

/** The position before the first event. */
export const START: Position = { event: 0, batchEnd: null, state: null, states: 0 };

export interface WebhookPositionsDeps {
  readonly registry: Registry;
  readonly platform: Platform;
  readonly webhook: string;
  /** Unique for each start of a server. */
  readonly holder: string;
  /** Milliseconds without a change after which the claim of another server is void. Longer than any request. */
  readonly lease: number;
}

/**
 * The positions of one webhook, in a registry that all servers of a store share. A server claims a position before it sends, and each change is
 * compare-and-set on what it claimed: a server that lost its claim learns so before its next request. The claim of a killed server is void when its record
 * did not change for a lease, by the clock of the server that looks, so clocks need not agree.
 */
export class WebhookPositions {
  readonly #deps: WebhookPositionsDeps;
  /** Versions that other servers hold, and when each was seen first, by conversation. */
  readonly #held = new Map<string, { readonly version: string; readonly seenAt: number }>();

  constructor(deps: WebhookPositionsDeps) {
    this.#deps = deps;
  }

  /** Resolves with the time, in epoch milliseconds, at which this webhook was set up; that is now if it is new. Rejects `RegistryError`. */
  async setUpAt(): Promise<number> {
    const { registry, webhook, platform } = this.#deps;
    const value = (await registry.get(KIND, webhook))?.value;
    if (value !== undefined) return Date.parse(String(Object(value)['since']));
    const since = isoNow(platform);
    await registry.put(KIND, webhook, { since }, { expected: null }).catch((error: unknown) => {
      if (!isRegistryError(error, 'CONFLICT')) throw error;
    });
    // another server may have been first
    return this.setUpAt();
  }

  /** Resolves with the ids of all conversations that have a position, without dashes. Rejects `RegistryError`. */
  async conversations(): Promise<readonly string[]> {
    const prefix = `${this.#deps.webhook}/`;
    const names = [...(await this.#deps.registry.marks(KIND)).keys()];
    return names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
  }

  /** Resolves with a position; `undefined` if there is none. Rejects `RegistryError`. */
  async read(id: string): Promise<StoredPosition | undefined> {
    const entry = await this.#deps.registry.get(KIND, this.#nameOf(id));
    return entry && positionIn(entry);
  }

  /**
   * Claims a position. Resolves with it, or with `undefined` while another server works on it. Rejects `RegistryError`, `CONFLICT` when another
   * server was first.
   */
  async claim(id: string, stored: StoredPosition | undefined, position: Position): Promise<StoredPosition | undefined> {
    const { holder, platform, lease } = this.#deps;
    if (stored && stored.holder !== null && stored.holder !== holder) {
      const held = this.#held.get(id);
      if (held?.version !== stored.version) {
        this.#held.set(id, { version: stored.version, seenAt: platform.monotonic() });
        return undefined;
      }
      if (platform.monotonic() - held.seenAt < lease) return undefined;
    }
    this.#held.delete(id);
    return this.#put(id, position, { holder, expected: stored?.version ?? null });
  }

  /** Moves a position that this server has claimed; `release` gives the claim up. Rejects `RegistryError`, `CONFLICT` when the claim is lost. */
  move(
    id: string,
    claimed: StoredPosition,
    position: Position,
    { release = false }: { readonly release?: boolean } = {},
  ): Promise<StoredPosition> {
    return this.#put(id, position, { holder: release ? null : this.#deps.holder, expected: claimed.version });
  }

  /** Gives a claim up. Rejects `RegistryError`, except for `CONFLICT`. */
  async release(id: string, claimed: StoredPosition): Promise<void> {
    await orTaken(this.#put(id, claimed, { holder: null, expected: claimed.version }));
  }

  /** Removes the position of a conversation that there is no more. Rejects `RegistryError`, except for `CONFLICT`. */
  async remove(id: string, { version }: StoredPosition): Promise<void> {
    this.#held.delete(id);
    await orTaken(this.#deps.registry.delete(KIND, this.#nameOf(id), { expected: version }));
  }

  async #put(
    id: string,
    { event, batchEnd, state, states }: Position,
    { holder, expected }: { readonly holder: string | null; readonly expected: string | null },
  ): Promise<StoredPosition> {
    const position = { event, batchEnd, state, states };
    const value: Json = { ...position, holder };
    return { ...position, holder, version: await this.#deps.registry.put(KIND, this.#nameOf(id), value, { expected }) };
  }

  #nameOf(id: string): string {
    return `${this.#deps.webhook}/${toConversationKey(id)}`;
  }
}

/** Ends as a change does. A change that another server's change came before is not needed. */
async function orTaken(change: Promise<unknown>): Promise<void> {
  try {
    await change;
  } catch (error) {
    if (!isRegistryError(error, 'CONFLICT')) throw error;
  }
}

function positionIn({ value, version, name }: RegistryEntry): StoredPosition {
  const { event, batchEnd, state, states, holder } = Object(value) as JsonObject;
  if (!isCount(event) || !isCount(states))
    throw new TypeError(`the record ${KIND}/${name} is no position of a webhook; remove it`);
  return {
    event,
    batchEnd: isCount(batchEnd) ? batchEnd : null,
    state: typeof state === 'string' ? state : null,
    states,
    holder: typeof holder === 'string' ? holder : null,
    version,
  };
}

function isCount(value: Json | undefined): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
