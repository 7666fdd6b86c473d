import { join } from 'node:path';
import { checkOptionNames, describeValue, type Json, type OptionNames } from '@conv/core';
import { isStoreError } from '@conv/core/store';
import { checkedText } from '@conv/store-kit/system';
import {
  checkEntryName,
  checkKind,
  conflict,
  entryText,
  type Expected,
  isRegistryError,
  type ListedPage,
  listEntries,
  type EntryQuery,
  RegistryError,
  type Registry,
  type RegistryEntry,
  storedRecord,
} from '@conv/store-kit/registry';

import type { Disk } from '../disk/disk.ts';
import { errorCode, fromFsError, ifThere } from '../disk/from-fs-error.ts';
import { nodeDisk } from '../disk/node-disk.ts';
import { entryNameIn, toEntryFolder } from './entry-folder.ts';
import { EntryVersions, type EntryVersion } from './entry-versions.ts';

/** Options of {@link FsRegistry}. */
export interface FsRegistryOptions {
  /** Its folder; made by the first change. */
  readonly directory: string;
  /** The disk to use. Default: that of this machine. */
  readonly disk?: Disk;
}

const NAMES: OptionNames<FsRegistryOptions> = { directory: true, disk: true };

/**
 * A registry in a folder of the local file system, for any number of processes. It survives the end of a process and loss of power at
 * any moment. Each record is a folder of versions; see `EntryVersions` for how one of concurrent changes wins.
 */
export class FsRegistry implements Registry {
  readonly #directory: string;
  readonly #disk: Disk;
  readonly #versions: EntryVersions;

  constructor(options: FsRegistryOptions) {
    checkOptionNames('new FsRegistry', options, NAMES);
    const { directory, disk = nodeDisk } = options;
    if (typeof directory !== 'string' || directory === '')
      throw new TypeError(
        `new FsRegistry: directory: expected the path of a folder, such as 'registry', found ${describeValue(directory)}`,
      );
    this.#directory = directory;
    this.#disk = disk;
    this.#versions = new EntryVersions(disk);
  }

  async get(kind: string, name: string): Promise<RegistryEntry | undefined> {
    checkEntryName(kind, name);
    return this.#attempt(kind, name, async () => toEntry(name, await this.#versions.newest(this.#folder(kind, name))));
  }

  async put(kind: string, name: string, value: Json, { expected }: Expected): Promise<string> {
    checkEntryName(kind, name);
    const text = entryText(kind, name, value);
    return this.#change(kind, name, { expected, content: checkedText(`{"value":${text}}`) });
  }

  async delete(kind: string, name: string, { expected }: { readonly expected: string }): Promise<void> {
    checkEntryName(kind, name);
    await this.#change(kind, name, { expected, content: checkedText('{}') });
  }

  async list(kind: string, options: EntryQuery = {}): Promise<ListedPage> {
    checkKind(kind);
    return listEntries(await this.#names(kind), options, (name) => this.get(kind, name));
  }

  async marks(kind: string): Promise<ReadonlyMap<string, string>> {
    checkKind(kind);
    const names = await this.#names(kind);
    return this.#attempt(
      kind,
      '',
      async () => new Map(names.map((name) => [name, this.#versions.markOf(this.#folder(kind, name))])),
    );
  }

  async #names(kind: string): Promise<readonly string[]> {
    const folder = join(this.#directory, kind);
    const found = await this.#attempt(kind, '', async () => ifThere(() => this.#disk.list(folder)) ?? []);
    return found.map(entryNameIn).filter((name) => name !== undefined);
  }

  #change(kind: string, name: string, { expected, content }: Expected & { readonly content: string }): Promise<string> {
    const folder = this.#folder(kind, name);
    return this.#attempt(kind, name, async () => {
      const held = await this.#versions.newest(folder);
      const found = toEntry(name, held)?.version ?? null;
      if (found !== expected) throw conflict(kind, name, { expected, found });
      const isWritten = await this.#versions.write(folder, { after: held, content });
      if (!isWritten) throw conflict(kind, name, { expected, found: 'of another writer' });
      return toVersion((held?.number ?? 0) + 1);
    });
  }

  #folder(kind: string, name: string): string {
    return join(this.#directory, kind, toEntryFolder(name));
  }

  async #attempt<T>(kind: string, name: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (isRegistryError(error) || (errorCode(error) === undefined && !isStoreError(error))) throw error;
      const cause = fromFsError(error, `${kind}/${name}`);
      throw new RegistryError('UNAVAILABLE', cause.text, { cause });
    }
  }
}

function toVersion(number: number): string {
  return String(number);
}

/** Returns the record of a version; `undefined` for none, and for a deletion. Throws `DAMAGED` for any other content. */
function toEntry(name: string, version: EntryVersion | undefined): RegistryEntry | undefined {
  if (!version) return undefined;
  const { value } = storedRecord(version.content, `${name}: the folder of ${version.path}`) as {
    readonly value?: Json;
  };
  return value === undefined ? undefined : { name, value, version: toVersion(version.number) };
}
