import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ConversationState } from '@conv/core';
import { userMessage } from '@conv/core/events';
import { toConversationKey, toEventIndex, type JournalReader } from '@conv/core/store';
import { describe, expect, onTestFinished, test } from 'vitest';
import { FsStore } from '../../src/index.ts';
import { damageRecord } from '../support/damage-record.ts';
import { freshFolder } from '../support/fresh-folder.ts';

const ID = '00000000-0000-4000-8000-00000000000c';
const EPOCHS = [1, 2, 3];
/** The number of messages of each owner, each in a commit of its own; the first owner also writes the initial state. */
const MESSAGES = 3;

/** A conversation of three owners, closed. */
async function made(): Promise<{ directory: string; folder: string }> {
  const directory = await freshFolder();
  for (const epoch of EPOCHS) {
    const store = new FsStore({ directory });
    const state = await ConversationState.open(await store.open(ID, { owner: 'writer' }), { id: ID });
    for (let at = 0; at < MESSAGES; at++) await state.append([userMessage(`message ${at} of ${epoch}`)]);
    await state.close();
    await store.close();
  }
  return { directory, folder: join(directory, toConversationKey(ID)) };
}

/**
 * Expects that each event of a whole reading is found by its number and by its id, too. Resolves with the number of
 * events.
 */
async function foundSingly(directory: string): Promise<number> {
  const store = new FsStore({ directory });
  onTestFinished(() => store.close());
  const whole = (await store.read(ID)) as JournalReader;
  let count = 0;
  for await (const { firstEvent, events } of whole.commits())
    for (const [at, { id }] of events.entries()) {
      const reader = (await store.read(ID)) as JournalReader;
      const number = firstEvent + at;
      const range = { fromEvent: toEventIndex(number), toEvent: toEventIndex(number + 1) };
      const singly = (await Array.fromAsync(reader.commits(range))).flatMap((commit) =>
        commit.events.filter((_, ordinal) => commit.firstEvent + ordinal === number),
      );
      expect(singly.map((event) => event.id)).toEqual([id]);
      expect(await reader.locate(id)).toBe(number);
      await reader.close();
      count++;
    }
  await whole.close();
  return count;
}

describe('P4: events that were restored from their files are found by number and by id', () => {
  test.each(Array.from({ length: EPOCHS.length * MESSAGES }, (_, at) => at + 1))(
    'P4: events of commit %i are found by number and by id',
    async (seq) => {
      const { directory, folder } = await made();
      await damageRecord(folder, seq);
      expect(await foundSingly(directory)).toBe(EPOCHS.length * MESSAGES);
    },
  );

  test.each(EPOCHS)(
    'P4: restored events of epoch %i are found by number and by id, even after a repair',
    async (epoch) => {
      const { directory, folder } = await made();
      rmSync(join(folder, '.conv', `epoch-0000000${epoch}.wal`));
      expect(await foundSingly(directory)).toBe(EPOCHS.length * MESSAGES);
      const store = new FsStore({ directory });
      const { findings } = await store.check(ID, { repair: true });
      expect(findings.map(({ part, repaired }) => [part, repaired])).toEqual([['log', false]]);
      await store.close();
      expect(readdirSync(join(folder, '.conv'))).toContain('restored');
      expect(await foundSingly(directory)).toBe(EPOCHS.length * MESSAGES);
    },
  );
});
