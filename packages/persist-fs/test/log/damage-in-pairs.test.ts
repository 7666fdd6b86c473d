import { readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConversationState } from '@conv/core';
import { drafts, userMessage } from '@conv/core/events';
import { toConversationKey } from '@conv/core/store';
import { expect, onTestFinished, test } from 'vitest';
import { FsStore } from '../../src/index.ts';
import { damageRecord } from '../support/damage-record.ts';
import { freshFolder } from '../support/fresh-folder.ts';

const ID = '00000000-0000-4000-8000-00000000000c';
const ENTRY_BYTES = 32;

/** A conversation of a prompt and messages, by one owner after the other; resolves with its folder. */
async function made(...owners: readonly (readonly string[])[]): Promise<{ directory: string; folder: string }> {
  const directory = await freshFolder();
  for (const [turn, messages] of owners.entries()) {
    const store = new FsStore({ directory });
    const state = await ConversationState.open(await store.open(ID, { owner: `owner ${turn}` }), { id: ID });
    if (turn === 0) await state.append([drafts.systemPrompt('be careful', [])]);
    for (const message of messages) await state.append([userMessage(message)]);
    await state.close();
    await store.close();
  }
  return { directory, folder: join(directory, toConversationKey(ID)) };
}

async function opened(directory: string): Promise<ConversationState> {
  const store = new FsStore({ directory });
  onTestFinished(() => store.close());
  return ConversationState.open(await store.open(ID, { owner: 'next' }));
}

const numbersOf = (names: readonly string[]): number[] => names.map((name) => Number(name.split('-')[1]));

/** Numbers of the events that a model reads, by the names of their files before the damage. */
async function readNumbers(state: ConversationState, names: readonly string[]): Promise<number[]> {
  const view = await state.modelView();
  return view.map(({ id }) => numbersOf(names.filter((name) => name.includes(id)))[0] ?? -1);
}

const eventNames = (folder: string): string[] =>
  readdirSync(join(folder, 'events'))
    .filter((name) => name.startsWith('event-'))
    .sort();

test.each([
  ['from its entry on', (file: string) => truncateSync(file, 2 * ENTRY_BYTES)],
  ['at its entry', (file: string) => writeFileSync(file, flipped(readFileSync(file), 2 * ENTRY_BYTES))],
  ['as a whole', (file: string) => truncateSync(file, 0)],
])(
  'P4 P5: a record whose index is damaged %s, too, is restored from the only file with its number',
  async (_, harm) => {
    const { directory, folder } = await made(['one', 'two', 'three', 'four']);
    const names = eventNames(folder);
    await damageRecord(folder, 3);
    harm(join(folder, '.conv', 'index'));
    const state = await opened(directory);
    expect(state.damage).toMatchObject([{ from: 3, to: 3, restored: [2] }]);
    expect(state.fields).toMatchObject({ damaged: true, confirmationPolicy: { kind: 'AlwaysConfirm' } });
    expect(await readNumbers(state, names)).toEqual([0, 1, 2, 3, 4]);
    await state.close();
    expect(eventNames(folder)).toEqual(names);
  },
);

test('P4 P5: when all records of an owner and one event file are lost, everything else is still read', async () => {
  const { directory, folder } = await made(['one'], ['two', 'three', 'four', 'five']);
  const names = eventNames(folder);
  const wal = join(folder, '.conv', 'epoch-00000002.wal');
  truncateSync(wal, readFileSync(wal).indexOf('two'));
  writeFileSync(join(folder, 'events', names[3] as string), '{');
  const state = await opened(directory);
  expect(state.damage).toMatchObject([{ restored: [2] }]);
  expect(state.fields).toMatchObject({ damaged: true, confirmationPolicy: { kind: 'AlwaysConfirm' } });
  expect(await readNumbers(state, names)).toEqual([0, 1, 2, 4, 5]);
});

function flipped(bytes: Buffer, at: number): Buffer {
  bytes[at] = (bytes[at] as number) ^ 1;
  return bytes;
}
