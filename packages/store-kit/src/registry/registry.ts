import type { Json } from '@conv/core';

import type { RegistryError } from './registry-error.ts';

/** A record of a registry. */
export interface RegistryEntry {
  readonly name: string;
  /** Small JSON, at most `MAX_VALUE_BYTES` of UTF-8. */
  readonly value: Json;
  /** Opaque. Each value that was put has its own, also after a deletion. */
  readonly version: string;
}

/** The record that a change expects. */
export interface Expected {
  /** The version that is to be replaced; null if no record of this name may exist. */
  readonly expected: string | null;
}

/** The part of the records that a list shows. */
export interface EntryQuery {
  /** Only names that begin with this text. Default: all names. */
  readonly prefix?: string;
  /** `next` of the page before. Default: the first page. */
  readonly page?: string;
  /** Maximum number of records. Default 100. */
  readonly limit?: number;
}

/** A page of a list. */
export interface ListedPage {
  /** By the bytes of their names. There may be fewer than asked for. */
  readonly items: readonly RegistryEntry[];
  /** A `DAMAGED` error for each record of this page that cannot be read. Such a record does not hide the others. */
  readonly damaged: readonly RegistryError[];
  /** Token for the next page; `undefined` on the last one. */
  readonly next: string | undefined;
}

/**
 * Records that are no conversations, by kind and name. Several processes may use one registry. A change that resolved is durable, and is
 * seen by every later call of every process. Of concurrent changes that expect the same version, only one succeeds.
 *
 * A kind is up to 32 lower-case letters, digits and hyphens, a letter first. A name is 1 to 80 bytes of UTF-8 without a null character;
 * any other character is allowed, and case matters. All methods reject `RegistryError`: `INVALID` for a kind or name that breaks these rules.
 */
export interface Registry {
  /** Resolves with a record; `undefined` if there is none. Rejects `DAMAGED` if it cannot be read. */
  get(kind: string, name: string): Promise<RegistryEntry | undefined>;
  /**
   * Stores a record. Resolves with its version. Rejects `CONFLICT` and changes nothing if another version is stored than expected, and
   * `TOO_LARGE`. After `UNAVAILABLE` it is unknown if the value was stored: read it.
   */
  put(kind: string, name: string, value: Json, options: Expected): Promise<string>;
  /** Removes a record. Rejects `CONFLICT` if another version is stored than expected, or none. After `UNAVAILABLE` see `put`. */
  delete(kind: string, name: string, options: { readonly expected: string }): Promise<void>;
  /**
   * Resolves with a page of records. A record that is there during the whole listing is on exactly one page. Rejects `INVALID` for a page
   * of another list.
   */
  list(kind: string, options?: EntryQuery): Promise<ListedPage>;
  /**
   * Resolves with a mark for each record of a kind, by name. The mark of a record differs from every earlier one once its value was changed,
   * or it was removed and made again. A reader compares marks to read only what has changed: no record is read for its mark. A removed
   * record, and a record that cannot be read, may have a mark too.
   */
  marks(kind: string): Promise<ReadonlyMap<string, string>>;
}
