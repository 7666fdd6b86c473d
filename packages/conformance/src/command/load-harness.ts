import { existsSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';

import { checks } from '@conv/core';
import type { StoreHarness } from '../store/store-harness.ts';
import type { StoreUnderTest } from '../store/store-under-test.ts';
import type { ConversationStore } from '@conv/core/store';

type CreateStore = (directory: string) => ConversationStore | Promise<ConversationStore>;

/**
 * Imports a module and takes the harness that it exports. Rejects `TypeError` when there is no module or it exports none, when its harness makes nothing, or when
 * it or a module that it imports is not JavaScript, or TypeScript that Node cannot run as it is.
 */
export async function loadHarness(file: string): Promise<StoreHarness> {
  if (!existsSync(file)) throw new TypeError(`${file}: there is no such file`);
  const exported = await load(file);
  for (const name of ['harness', 'createStore', 'default']) {
    const found = exported[name];
    if (isHarness(found)) return found;
    if (typeof found === 'function') return inFolders(callable(found, `${file}: ${name}`));
    if (name === 'harness' && found !== undefined)
      throw new TypeError(
        `${file}: ${checks.wrongValue(name, 'an object such as { make: async () => ({ store, again, dispose }) }', found)}`,
      );
  }
  const names = Object.keys(exported).join(', ');
  throw new TypeError(
    `${file} exports neither harness nor createStore, but ${names === '' ? 'nothing' : names}; export one of them`,
  );
}

/** Returns a function that makes stores. Throws `TypeError` for a class. `place`: the name of the export. */
function callable(found: object, place: string): CreateStore {
  const { name } = found as { readonly name: string };
  if (Function.prototype.toString.call(found).startsWith('class'))
    throw new TypeError(
      `${place}: expected a function such as (directory) => new ${name}(directory), found the class ${name}`,
    );
  return async (directory) => {
    const store = await (found as CreateStore)(directory);
    if (typeof store?.features === 'object') return store;
    throw new TypeError(`${place}: ${checks.wrongValue('its result', 'a store', store)}`);
  };
}

async function load(file: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await import(pathToFileURL(resolve(file)).href)) as Readonly<Record<string, unknown>>;
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    if (cause instanceof SyntaxError && code !== 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX')
      throw new TypeError(`${placeIn(cause) ?? file}: ${cause.message}; correct this line`, { cause });
    if (code !== 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX') throw cause;
    throw new TypeError(
      `${placeIn(cause as Error) ?? file}: ${(cause as Error).message}. Node runs TypeScript by leaving out its types, so this syntax has to go, such as parameter properties, ` +
        'enums and namespaces. Or compile the store first, or set NODE_OPTIONS=--experimental-transform-types',
      { cause },
    );
  }
}

/** Returns the file and the line of wrong syntax: the message does not name them, but the first line of the stack does. */
function placeIn({ stack = '' }: Error): string | undefined {
  const [place = ''] = stack.split('\n');
  return /:\d+$/.test(place) ? place : undefined;
}

function isHarness(value: unknown): value is StoreHarness {
  return typeof value === 'object' && value !== null && 'make' in value && typeof value.make === 'function';
}

/** Each backend is a folder of its own. It is removed with the backend, or at the end of the process if a case does not end. */
function inFolders(createStore: CreateStore): StoreHarness {
  const directories = new Set<string>();
  const remove = (directory: string): void => {
    rmSync(directory, { recursive: true, force: true });
    directories.delete(directory);
  };
  process.once('exit', () => directories.forEach(remove));
  const make = async (): Promise<StoreUnderTest> => {
    const directory = await mkdtemp(join(tmpdir(), 'conv-conformance-'));
    directories.add(directory);
    const first = await createStore(directory);
    const stores = [first];
    return {
      store: first,
      again: async () => {
        if (!first.features.shared) return first;
        const another = await createStore(directory);
        stores.push(another);
        return another;
      },
      dispose: async () => {
        await Promise.all(stores.map((store) => store.close()));
        remove(directory);
      },
    };
  };
  return { make };
}
