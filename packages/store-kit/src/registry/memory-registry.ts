import type { Json } from '@conv/core';

import { checkEntryName, checkKind, entryText } from './check-entry.ts';
import { listEntries } from './list-entries.ts';
import type { Expected, ListedPage, EntryQuery, Registry, RegistryEntry } from './registry.ts';
import { conflict } from './registry-error.ts';

interface Stored {
  readonly text: string;
  readonly version: string;
}

/** A registry in memory, for tests and for programs whose keys may be lost at their end. */
export class MemoryRegistry implements Registry {
  readonly #kinds = new Map<string, Map<string, Stored>>();
  #puts = 0;

  async get(kind: string, name: string): Promise<RegistryEntry | undefined> {
    checkEntryName(kind, name);
    const stored = this.#of(kind).get(name);
    return stored && toEntry(name, stored);
  }

  async put(kind: string, name: string, value: Json, { expected }: Expected): Promise<string> {
    checkEntryName(kind, name);
    const text = entryText(kind, name, value);
    this.#expect(kind, name, expected);
    const version = String(++this.#puts);
    this.#of(kind).set(name, { text, version });
    return version;
  }

  async delete(kind: string, name: string, { expected }: { readonly expected: string }): Promise<void> {
    checkEntryName(kind, name);
    this.#expect(kind, name, expected);
    this.#of(kind).delete(name);
  }

  async list(kind: string, options: EntryQuery = {}): Promise<ListedPage> {
    checkKind(kind);
    return listEntries(this.#of(kind).keys(), options, (name) => this.get(kind, name));
  }

  async marks(kind: string): Promise<ReadonlyMap<string, string>> {
    checkKind(kind);
    return new Map(Array.from(this.#of(kind), ([name, { version }]) => [name, version]));
  }

  #expect(kind: string, name: string, expected: string | null): void {
    const found = this.#of(kind).get(name)?.version ?? null;
    if (found !== expected) throw conflict(kind, name, { expected, found });
  }

  #of(kind: string): Map<string, Stored> {
    const held = this.#kinds.get(kind) ?? new Map<string, Stored>();
    this.#kinds.set(kind, held);
    return held;
  }
}

function toEntry(name: string, { text, version }: Stored): RegistryEntry {
  return { name, value: JSON.parse(text) as Json, version };
}
