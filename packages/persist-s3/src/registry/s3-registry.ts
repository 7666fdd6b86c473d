import { checkOptionNames, type Json, type OptionNames } from '@conv/core';
import type { S3Client } from '@aws-sdk/client-s3';
import { systemPlatform, type Platform } from '@conv/core/platform';
import { checkedText } from '@conv/store-kit/system';
import {
  checkEntryName,
  checkKind,
  conflict,
  entryText,
  type Expected,
  type ListedPage,
  listEntries,
  type EntryQuery,
  type Registry,
  type RegistryEntry,
  storedRecord,
  toRegistryError,
} from '@conv/store-kit/registry';

import { Bucket } from '../bucket/bucket.ts';
import { LostAnswer } from '../bucket/lost-answer.ts';
import { ObjectKeys } from '../bucket/object-keys.ts';
import { proveConditions } from '../bucket/prove-conditions.ts';

/** Options of an {@link S3Registry}. */
export interface S3RegistryOptions {
  /** Client of the caller; the registry never closes it. */
  readonly client: S3Client;
  /** Name of an existing bucket. */
  readonly bucket: string;
  /** Prefix of all keys, such as `production/`. Default empty. */
  readonly prefix?: string;
  /** Times, timers and ids. Default: the platform of the host. */
  readonly platform?: Platform;
}

const NAMES: OptionNames<S3RegistryOptions> = { client: true, bucket: true, prefix: true, platform: true };

/** An object of a record. Its version is of its own, because objects with the same bytes have the same tag. */
interface Stored {
  readonly version: string;
  /** `undefined` for a record that was removed: not every service removes an object on a condition. */
  readonly value?: Json;
}

interface Found extends Stored {
  readonly etag: string;
}

/** A registry in a bucket of S3, by conditional writes. A removed record leaves a small object. */
export class S3Registry implements Registry {
  readonly #bucket: Bucket;
  readonly #prefix: string;
  #proved: Promise<void> | undefined;

  constructor(options: S3RegistryOptions) {
    checkOptionNames('new S3Registry', options, NAMES);
    const { client, bucket, prefix = '', platform = systemPlatform } = options;
    this.#bucket = new Bucket(client, bucket, platform);
    this.#prefix = prefix;
  }

  async get(kind: string, name: string): Promise<RegistryEntry | undefined> {
    checkEntryName(kind, name);
    return this.#attempt(kind, name, async () => toEntry(name, await this.#read(kind, name)));
  }

  async put(kind: string, name: string, value: Json, { expected }: Expected): Promise<string> {
    checkEntryName(kind, name);
    entryText(kind, name, value);
    return this.#attempt(kind, name, () => this.#replace(kind, name, { expected, next: { value } }));
  }

  async delete(kind: string, name: string, { expected }: { readonly expected: string }): Promise<void> {
    checkEntryName(kind, name);
    await this.#attempt(kind, name, () => this.#replace(kind, name, { expected, next: {} }));
  }

  async list(kind: string, options: EntryQuery = {}): Promise<ListedPage> {
    checkKind(kind);
    const names = (await this.marks(kind)).keys();
    return this.#attempt(kind, '', () =>
      listEntries(names, options, async (name) => toEntry(name, await this.#read(kind, name))),
    );
  }

  async marks(kind: string): Promise<ReadonlyMap<string, string>> {
    checkKind(kind);
    return this.#attempt(kind, '', async () => {
      const folder = this.#folder(kind);
      const tags = new Map<string, string>();
      for await (const page of this.#bucket.list(folder))
        for (const { key, etag } of page) {
          const name = Buffer.from(key.slice(folder.length), 'hex').toString();
          // another object, such as the empty one of a folder that a console makes
          if (name !== '' && this.#key(kind, name) === key) tags.set(name, etag);
        }
      return tags;
    });
  }

  /** Resolves with the version that was stored. */
  async #replace(
    kind: string,
    name: string,
    { expected, next }: Expected & { readonly next: Pick<Stored, 'value'> },
  ): Promise<string> {
    await this.#prove();
    const held = await this.#read(kind, name);
    const found = versionIn(held);
    if (found !== expected) throw conflict(kind, name, { expected, found });
    const version = this.#bucket.platform.id();
    const body = Buffer.from(checkedText(JSON.stringify({ version, ...next })));
    try {
      const outcome = await this.#bucket.put(this.#key(kind, name), body, held ? { over: held.etag } : 'ifFree');
      if (outcome.stored) return version;
    } catch (error) {
      if (!(error instanceof LostAnswer) || (await this.#read(kind, name))?.version !== version) throw error;
      return version;
    }
    const now = await this.#read(kind, name);
    // a repetition is refused when the first, unanswered request has stored it
    if (now?.version === version) return version;
    throw conflict(kind, name, { expected, found: versionIn(now) });
  }

  /** Proves conditional writes once for the registry; tries again when the proof failed. */
  #prove(): Promise<void> {
    this.#proved ??= proveConditions(this.#bucket, new ObjectKeys(this.#prefix)).catch((error: unknown) => {
      this.#proved = undefined;
      throw error;
    });
    return this.#proved;
  }

  async #read(kind: string, name: string): Promise<Found | undefined> {
    const object = await this.#bucket.get(this.#key(kind, name));
    if (!object) return undefined;
    const record = storedRecord(object.bytes.toString(), `${kind}/${name}: the object ${this.#key(kind, name)}`);
    return { ...(record as unknown as Stored), etag: object.etag };
  }

  #folder(kind: string): string {
    return `${this.#prefix}registry/${kind}/`;
  }

  #key(kind: string, name: string): string {
    return this.#folder(kind) + Buffer.from(name).toString('hex');
  }

  async #attempt<T>(kind: string, name: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw toRegistryError(kind, name, error instanceof LostAnswer ? error.cause : error);
    }
  }
}

function versionIn(found: Found | undefined): string | null {
  return found?.value === undefined ? null : found.version;
}

function toEntry(name: string, found: Found | undefined): RegistryEntry | undefined {
  return found?.value === undefined ? undefined : { name, value: found.value, version: found.version };
}
