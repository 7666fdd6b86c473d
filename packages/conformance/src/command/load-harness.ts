import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';

import type { StoreHarness } from '../store/store-harness.ts';
import type { StoreUnderTest } from '../store/store-under-test.ts';
import type { ConversationStore } from '@conv/core/store';

type CreateStore = (directory: string) => ConversationStore | Promise<ConversationStore>;

/**
 * Imports a module and takes the harness that it exports. Rejects `TypeError` when it exports none, or when it or a module that it
 * imports is TypeScript that Node cannot run as it is.
 */
export async function loadHarness(file: string): Promise<StoreHarness> {
  const exported = await load(file);
  for (const found of [exported['harness'], exported['createStore'], exported['default']]) {
    if (isHarness(found)) return found;
    if (typeof found === 'function') return inFolders(found as CreateStore);
  }
  const names = Object.keys(exported).join(', ');
  throw new TypeError(
    `${file} exports neither harness nor createStore, but ${names === '' ? 'nothing' : names}; export one of them`,
  );
}

async function load(file: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await import(pathToFileURL(resolve(file)).href)) as Readonly<Record<string, unknown>>;
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX')) throw cause;
    // the message names no place; the first line of the stack is the file and the line
    const [place = file] = cause.stack?.split('\n') ?? [];
    throw new TypeError(
      `${place}: ${cause.message}. Node runs TypeScript by leaving out its types, so this syntax has to go, such as parameter properties, ` +
        'enums and namespaces. Or compile the store first, or set NODE_OPTIONS=--experimental-transform-types',
      { cause },
    );
  }
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
