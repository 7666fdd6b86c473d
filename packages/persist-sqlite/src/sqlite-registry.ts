import { resolve } from 'node:path';
import { checkOptionNames, type Json, type OptionNames } from '@conv/core';
import { systemPlatform, type Platform } from '@conv/core/platform';
import {
  checkEntryName,
  checkKind,
  conflict,
  entryText,
  type EntryQuery,
  type Expected,
  type ListedPage,
  listRows,
  type Registry,
  type RegistryEntry,
  rowEntry,
  toRegistryError,
} from '@conv/store-kit/registry';
import { checkedText } from '@conv/store-kit/system';

import type { ChangedEntry } from './calls.ts';
import { checkFile } from './check-file.ts';
import { DatabaseThread } from './database-thread.ts';
import { nodeSqlite, type SqliteDriver } from './driver.ts';
import { refuseNetworkMount } from './network-mount.ts';

/** Options of a {@link SqliteRegistry}. */
export interface SqliteRegistryOptions {
  /** Database file, which may be that of a store. The first change makes it. */
  readonly file: string;
  /** Library that speaks to SQLite. All users of a file in one process must use the same one. Default {@link nodeSqlite}. */
  readonly driver?: SqliteDriver;
  /** Milliseconds to wait while another process writes, before `UNAVAILABLE`. Default 5,000. */
  readonly busyTimeout?: number;
  /** True if the file may be on a network file system. Default `false`: the registry refuses it with `UNAVAILABLE`. */
  readonly allowNetworkMount?: boolean;
  /** Gives ids. Default: the platform of the host. */
  readonly platform?: Pick<Platform, 'id'>;
}

const NAMES: OptionNames<SqliteRegistryOptions> = {
  file: true,
  driver: true,
  busyTimeout: true,
  allowNetworkMount: true,
  platform: true,
};

/** A registry in a SQLite file, for any number of processes of one machine. A thread of its own waits for the disk. */
export class SqliteRegistry implements Registry, AsyncDisposable {
  readonly #file: string;
  readonly #platform: Pick<Platform, 'id'>;
  readonly #thread: DatabaseThread;
  /** True if the file was found to be on a local file system, or may be on any. */
  #isPlaced: boolean;

  constructor(options: SqliteRegistryOptions) {
    checkOptionNames('new SqliteRegistry', options, NAMES);
    const { driver = nodeSqlite, busyTimeout = 5000, allowNetworkMount = false, platform = systemPlatform } = options;
    checkFile('new SqliteRegistry', options.file);
    const file = resolve(options.file);
    this.#file = file;
    this.#platform = platform;
    this.#isPlaced = allowNetworkMount;
    // owns no conversation, so its token and lease count for nothing
    const owner = { token: platform.id(), leaseTimeout: 15_000, held: [] };
    this.#thread = new DatabaseThread(() => ({ file, driver, busyTimeout, readOnly: false, ...owner }));
  }

  async get(kind: string, name: string): Promise<RegistryEntry | undefined> {
    checkEntryName(kind, name);
    const row = await this.#attempt(kind, name, () => this.#thread.call('entry', kind, name));
    return row && rowEntry(kind, row);
  }

  async put(kind: string, name: string, value: Json, { expected }: Expected): Promise<string> {
    checkEntryName(kind, name);
    const next = { value: checkedText(entryText(kind, name, value)), version: this.#platform.id() };
    await this.#change({ kind, name, expected, next });
    return next.version;
  }

  async delete(kind: string, name: string, { expected }: { readonly expected: string }): Promise<void> {
    checkEntryName(kind, name);
    await this.#change({ kind, name, expected, next: null });
  }

  list(kind: string, query: EntryQuery = {}): Promise<ListedPage> {
    return listRows(kind, query, (rows) => this.#attempt(kind, '', () => this.#thread.call('entries', rows)));
  }

  async marks(kind: string): Promise<ReadonlyMap<string, string>> {
    checkKind(kind);
    return this.#attempt(kind, '', () => this.#thread.call('entryVersions', kind));
  }

  /** Closes the file. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#thread.close();
  }

  async #change(change: ChangedEntry): Promise<void> {
    const { kind, name, expected } = change;
    const found = await this.#attempt(kind, name, () => this.#thread.call('changeEntry', change));
    if (found !== expected) throw conflict(kind, name, { expected, found });
  }

  async #attempt<T>(kind: string, name: string, work: () => Promise<T>): Promise<T> {
    try {
      if (!this.#isPlaced) refuseNetworkMount(this.#file);
      this.#isPlaced = true;
      return await work();
    } catch (error) {
      throw toRegistryError(kind, name, error);
    }
  }
}
