import { cpSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { userMessage } from '@conv/core/events';
import { ConversationState } from '@conv/core';
import { expect, test } from 'vitest';
import { FsStore, type Finding } from '../../src/index.ts';
import { freshFolder } from '../support/fresh-folder.ts';

const fixtures = join(import.meta.dirname, '../../../../testing/fixtures');
const KEY = 'a3cabd23b3da480a8d875c928ad2ae06';

interface Folder {
  readonly store: FsStore;
  readonly findings: Finding[];
  /** The folder of the events. */
  readonly events: string;
}

/** A store on a folder of OpenHands, to which an SDK from 1.45 on has added two messages. */
async function continued(mirror: 'always' | 'deferred'): Promise<Folder> {
  const directory = await freshFolder();
  const folder = join(directory, KEY);
  cpSync(join(fixtures, 'conversations', KEY), folder, { recursive: true });
  rmSync(join(folder, 'owner_lease.json'));
  const events = join(folder, 'events');
  cpSync(join(fixtures, 'event-log'), events, { recursive: true });
  const findings: Finding[] = [];
  return { store: new FsStore({ directory, mirror, report: (finding) => findings.push(finding) }), findings, events };
}

const marker = (length: number): string => `.eventlog-len-${length}.marker`;

/** Returns the number that such an SDK gives its next event: it counts the files if no marker says that none came. */
function numberOfSdk(events: string, known: number): number {
  if (existsSync(join(events, marker(known)))) return known;
  return readdirSync(events).filter((name) => name.startsWith('event-')).length;
}

test.each(['always', 'deferred'] as const)(
  'P3: an SDK that keeps a count of events takes no number of ours, with the files written %s',
  async (mirror) => {
    const { store, findings, events } = await continued(mirror);
    expect(readdirSync(events)).toEqual(expect.arrayContaining([marker(8), '.eventlog.lock']));
    expect(numberOfSdk(events, 8)).toBe(8);
    const state = await ConversationState.open(await store.open(KEY, { owner: 'ours' }), { id: KEY });
    expect(state.events.length).toBe(8);
    expect(await state.events.at(-1)).toMatchObject({ llm_message: { content: [{ text: 'and once more' }] } });
    await state.append([userMessage('ours')]);
    await store.mirrorComplete(KEY);
    expect(readdirSync(events).filter((name) => name.startsWith('event-00008-'))).toHaveLength(1);
    expect(existsSync(join(events, marker(8)))).toBe(false);
    expect(numberOfSdk(events, 8)).toBe(9);
    await state.close();
    await store.close();
    expect(findings).toMatchObject([{ kind: 'imported' }]);
  },
);

test('P3: a count that an SDK has moved on meanwhile goes before the event that it does not know', async () => {
  const { store, events } = await continued('always');
  const state = await ConversationState.open(await store.open(KEY, { owner: 'ours' }), { id: KEY });
  await state.append([userMessage('ours')]);
  await store.mirrorComplete(KEY);
  // an SDK that only reads has counted, and noted what it found
  writeFileSync(join(events, marker(9)), '');
  await state.append([userMessage('ours again')]);
  await store.mirrorComplete(KEY);
  expect(readdirSync(events).filter((name) => name.endsWith('.marker'))).toEqual([]);
  expect(numberOfSdk(events, 9)).toBe(10);
  await state.close();
  await store.close();
});

test('a list, a reader, a check and a repair leave the count and the lock of an SDK as they are', async () => {
  const { store, events } = await continued('always');
  const before = readdirSync(events).toSorted();
  expect((await store.list()).items).toHaveLength(1);
  const reader = await store.read(KEY);
  expect(reader?.end.event).toBe(8);
  await reader?.close();
  expect((await store.check(KEY)).findings).toEqual([]);
  expect(readdirSync(events).toSorted()).toEqual(before);
  await store.check(KEY, { repair: true });
  expect(readdirSync(events).filter((name) => name.startsWith('.'))).toEqual([marker(8), '.eventlog.lock'].toSorted());
  await store.close();
});
