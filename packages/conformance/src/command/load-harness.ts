import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

import type { StoreHarness } from '../store/store-harness.ts';
import type { StoreUnderTest } from '../store/store-under-test.ts';
import type { ConversationStore } from '@conv/core/store';

type CreateStore = (directory: string) => ConversationStore | Promise<ConversationStore>;

/** Imports a module and takes the harness that it exports. Rejects `TypeError` when it exports none. */
export async function loadHarness(file: string): Promise<StoreHarness> {
  const exported = (await import(pathToFileURL(resolve(file)).href)) as Readonly<Record<string, unknown>>;
  for (const found of [exported['harness'], exported['createStore'], exported['default']]) {
    if (isHarness(found)) return found;
    if (typeof found === 'function') return inFolders(found as CreateStore);
  }
  const names = Object.keys(exported).join(', ');
  throw new TypeError(`${file} exports neither harness nor createStore, but ${names === '' ? 'nothing' : names}`);
}

function isHarness(value: unknown): value is StoreHarness {
  return typeof value === 'object' && value !== null && 'make' in value && typeof value.make === 'function';
}

/** Each backend is a folder of its own, which goes away with it. */
function inFolders(createStore: CreateStore): StoreHarness {
  const make = async (): Promise<StoreUnderTest> => {
    const directory = await mkdtemp(join(tmpdir(), 'conv-conformance-'));
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
        await rm(directory, { recursive: true, force: true });
      },
    };
  };
  return { make };
}
