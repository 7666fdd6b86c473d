import { createHash } from 'node:crypto';

import type { Cipher, JsonObject } from '@conv/core';
import { isJsonObject } from '@conv/core/platform';
import { toConversationId, toConversationKey } from '@conv/core/store';
import { encryptedRecords, type EncryptedRecords, type Registry } from '@conv/store-kit/registry';

import type { KeptKey } from '../auth/access-keys.ts';
import type { ProtocolReceiver, ReceiverPlace } from '../protocols/served-protocol.ts';

/** The kind of these records in a registry. Their names are the conversation without dashes, a slash and a digest of the protocol and the event. */
const KIND = 'receivers';

/** A receiver as it is stored. */
export interface StoredReceiver extends ProtocolReceiver {
  /** Its position is stored under this name, which is that of no other receiver. */
  readonly key: string;
  /** The key of the client that named it. */
  readonly by: KeptKey;
}

/** The receivers of a place. */
export interface PlaceReceivers extends ReceiverPlace {
  readonly protocol: string;
  readonly receivers: readonly StoredReceiver[];
}

/**
 * Returns the receivers that clients of protocols named, in the registry of a store, encrypted as a whole: `receivers` of `renewSecrets`. Throws `TypeError` if
 * `registry` is no registry.
 */
export function receiverRecords(registry: Registry, cipher: Cipher): EncryptedRecords {
  return encryptedRecords(registry, KIND, cipher);
}

/** The receivers in a registry, a record for each place. All methods reject `RegistryError`. */
export class ReceiverRecords {
  readonly #registry: Registry;
  readonly #records: EncryptedRecords;

  constructor(registry: Registry, cipher: Cipher) {
    this.#registry = registry;
    this.#records = receiverRecords(registry, cipher);
  }

  /** Resolves with the names of all records. A record changes with its mark. */
  marks(): Promise<ReadonlyMap<string, string>> {
    return this.#registry.marks(KIND);
  }

  /** Resolves with a record; `undefined` without one, and for a record that no key opens. */
  async read(name: string): Promise<PlaceReceivers | undefined> {
    const stored = await this.#records.get(name);
    return stored && placeIn(stored.value);
  }

  /** Changes a record, compare-and-set. Resolves with what is stored then; `undefined` and a place without receivers are not stored. */
  async change(
    name: string,
    change: (stored: PlaceReceivers | undefined) => PlaceReceivers | undefined,
  ): Promise<PlaceReceivers | undefined> {
    for (;;) {
      const stored = await this.#records.get(name);
      const before = stored && placeIn(stored.value);
      const after = change(before);
      if (after === before) return before;
      const value = after && after.receivers.length > 0 ? ({ ...after } as unknown as JsonObject) : undefined;
      if (await this.#records.replace(name, value, stored?.version ?? null)) return value && after;
    }
  }
}

/** Returns the name of the record of a place. Throws `StoreError` `INVALID_ID`. */
export function recordNameOf(protocol: string, { conversation, event }: ReceiverPlace): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([protocol, event]))
    .digest('hex');
  return `${toConversationKey(conversation)}/${digest.slice(0, 32)}`;
}

/** Returns the conversation of the record with this name. */
export function conversationOf(name: string): string {
  return toConversationId(name.slice(0, name.indexOf('/')));
}

function placeIn(value: JsonObject): PlaceReceivers | undefined {
  const { protocol, conversation, event, receivers } = value;
  const isPlace = [protocol, conversation, event].every((each) => typeof each === 'string');
  if (!isPlace || !Array.isArray(receivers) || !receivers.every(isReceiver)) return undefined;
  return value as unknown as PlaceReceivers;
}

function isReceiver(value: unknown): boolean {
  if (!isJsonObject(value)) return false;
  const { id, key, value: given, by } = value;
  return typeof id === 'string' && typeof key === 'string' && isJsonObject(given) && isJsonObject(by);
}
