import type { JsonObject } from '@conv/core';

import type { ObjectsByName, StoredObject } from './settings-place.ts';

/** Valid names of items: up to 64 letters, digits, dots, underscores and hyphens, beginning with a letter or digit. */
const NAME: RegExp = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** JSON objects by name. An object whose name {@link NAME} does not match never exists. */
export class NamedObjects {
  readonly #objects: ObjectsByName;

  constructor(objects: ObjectsByName) {
    this.#objects = objects;
  }

  /** Resolves with the sorted names. */
  async names(): Promise<readonly string[]> {
    return (await this.#objects.names()).filter((name) => NAME.test(name)).toSorted();
  }

  /** Resolves with the object of this name. Rejects `StoredObjectError`. */
  async get(name: string): Promise<JsonObject | undefined> {
    return NAME.test(name) ? this.#objects.object(name).read() : undefined;
  }

  /** Replaces the object of this name by the result of `work`. Throws `RangeError` for an invalid name. */
  async change(name: string, work: (before: JsonObject | undefined) => JsonObject | undefined): Promise<void> {
    if (!NAME.test(name))
      throw new RangeError(
        `expected a name of up to 64 letters, digits, dots, underscores and hyphens, found ${JSON.stringify(name)}`,
      );
    await this.#objects.object(name).change(work);
  }

  /** Resolves with all objects, sorted by name. Rejects `StoredObjectError`. */
  async all(): Promise<readonly { readonly name: string; readonly stored: JsonObject }[]> {
    const found = await Promise.all((await this.names()).map(async (name) => ({ name, stored: await this.get(name) })));
    return found.flatMap(({ name, stored }) => (stored ? [{ name, stored }] : []));
  }

  /** Gives an object another name, and the members of `renamed`. Resolves with the reason if that is not possible. */
  async rename(
    name: string,
    newName: string,
    renamed: (stored: JsonObject) => JsonObject = (stored) => stored,
  ): Promise<'missing' | 'exists' | undefined> {
    const stored = await this.get(name);
    if (!stored) return 'missing';
    if (name === newName) return undefined;
    let exists = false;
    await this.change(newName, (before) => {
      exists = before !== undefined;
      return exists ? undefined : renamed(stored);
    });
    if (exists) return 'exists';
    await this.delete(name);
    return undefined;
  }

  async objects(): Promise<readonly StoredObject[]> {
    return (await this.names()).map((name) => this.#objects.object(name));
  }

  /** Resolves with true if the item existed. */
  async delete(name: string): Promise<boolean> {
    return NAME.test(name) ? this.#objects.object(name).remove() : false;
  }
}
