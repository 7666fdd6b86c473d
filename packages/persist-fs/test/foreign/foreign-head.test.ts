import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { projections, ConversationState, type JsonObject } from '@conv/core';
import { userMessage } from '@conv/core/events';
import { describe, expect, onTestFinished, test } from 'vitest';
import { FsStore } from '../../src/index.ts';
import { freshFolder } from '../support/fresh-folder.ts';

const fixtures = join(import.meta.dirname, '../../../../testing/fixtures/conversations');
const keys = readdirSync(fixtures).filter((name) => /^[0-9a-f]{32}$/.test(name));

const error = { kind: 'ConversationErrorEvent', source: 'environment', code: 'Died', detail: 'the server died' };
const update = { kind: 'ConversationStateUpdateEvent', source: 'environment', key: 'tags', value: {} };

interface Old {
  readonly directory: string;
  readonly folder: string;
  readonly events: readonly { readonly id: string; readonly kind: string }[];
}

/** A folder from before the event tree: no HEAD is named, events may name no parent, and artefacts stand at its end. */
async function oldFolder(key: string, tail: readonly JsonObject[], linear: boolean): Promise<Old> {
  const directory = await freshFolder();
  const folder = join(directory, key);
  await cp(join(fixtures, key), folder, { recursive: true });
  rmSync(join(folder, 'owner_lease.json'), { force: true });
  const { leaf_event_id: _, head_is_empty: _empty, ...base } = json(join(folder, 'base_state.json'));
  writeFileSync(join(folder, 'base_state.json'), JSON.stringify(base));
  const names = readdirSync(join(folder, 'events')).filter((name) => name.startsWith('event-'));
  for (const name of linear ? names : []) {
    const { parent_id: _parent, ...event } = json(join(folder, 'events', name));
    writeFileSync(join(folder, 'events', name), JSON.stringify(event));
  }
  for (const [at, event] of tail.entries()) {
    const id = randomUUID();
    const name = `event-${String(names.length + at).padStart(5, '0')}-${id}.json`;
    writeFileSync(join(folder, 'events', name), JSON.stringify({ id, timestamp: '2026-03-02T10:00:00', ...event }));
  }
  const all = readdirSync(join(folder, 'events')).filter((name) => name.startsWith('event-'));
  return { directory, folder, events: all.sort().map((name) => json(join(folder, 'events', name)) as never) };
}

const json = (path: string): JsonObject => JSON.parse(readFileSync(path, 'utf8')) as JsonObject;

/** The HEAD of OpenHands: the last event that is not an artefact. */
const headOf = ({ events }: Old): string | undefined =>
  events.findLast(({ kind }) => kind !== error.kind && kind !== update.kind)?.id;

function storeIn(directory: string): FsStore {
  const store = new FsStore({ directory });
  onTestFinished(() => store.close());
  return store;
}

const tails: readonly (readonly [string, readonly JsonObject[]])[] = [
  ['nothing', []],
  ['an error', [error]],
  ['an error at the root', [{ ...error, parent_id: '__root__' }]],
  ['an update', [update]],
  ['updates and errors at the root', [update, error, update].map((event) => ({ ...event, parent_id: '__root__' }))],
];

describe.each([false, true])('a folder of OpenHands that names no HEAD, linear: %s', (linear) => {
  test.each(tails)(
    'P5: a foreign folder with %s at its end continues after the last event that is none of them',
    async (_, tail) => {
      for (const key of keys) {
        const old = await oldFolder(key, tail, linear);
        const store = storeIn(old.directory);
        const unopened = await store.read(key);
        expect(unopened && (await projections.readState(unopened)).fields.leafEventId).toBe(headOf(old));
        const state = await ConversationState.open(await store.open(key, { owner: 'ours' }));
        expect(state.fields.leafEventId).toBe(headOf(old));
        const before = await state.modelView();
        expect(before.length).toBeGreaterThan(1);
        await state.append([userMessage('go on')]);
        const after = await state.modelView();
        expect(after.slice(0, -1)).toEqual(before);
        await state.close();
        const again = await ConversationState.open(await store.open(key, { owner: 'again' }));
        expect(await again.modelView()).toEqual(after);
        await again.close();
      }
    },
  );
});

test('P5: HEAD of a folder whose log is lost is where base_state.json had it', async () => {
  const old = await oldFolder(keys[0] as string, [], false);
  const first = storeIn(old.directory);
  const state = await ConversationState.open(await first.open(keys[0] as string, { owner: 'ours' }));
  const [one] = old.events;
  await state.transaction((transaction) => transaction.moveHead(one?.id ?? null));
  await state.close();
  await first.close();
  rmSync(join(old.folder, '.conv'), { recursive: true });
  const again = await ConversationState.open(await storeIn(old.directory).open(keys[0] as string, { owner: 'next' }));
  expect(again.fields.leafEventId).toBe(one?.id);
});
