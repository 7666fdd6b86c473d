import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConversationState } from '@conv/core';
import { drafts, userMessage, type Event } from '@conv/core/events';
import { parseEventFileName } from '@conv/openhands/folder';
import { toConversationKey } from '@conv/core/store';
import { describe, expect, onTestFinished, test } from 'vitest';
import { FsStore, type Finding } from '../../src/index.ts';
import { message } from '../support/conversation-author.ts';
import { damageRecord } from '../support/damage-record.ts';
import { freshFolder } from '../support/fresh-folder.ts';

const ID = '00000000-0000-4000-8000-00000000000d';

/** A closed conversation of a prompt and four messages, without the records and files of the events with these numbers. */
async function damaged(...lost: readonly number[]): Promise<{ directory: string; events: string }> {
  const directory = await freshFolder();
  const store = new FsStore({ directory });
  const state = await ConversationState.open(await store.open(ID, { owner: 'writer' }), { id: ID });
  await state.append([drafts.systemPrompt('be careful', [])]);
  for (const text of ['one', 'two', 'three', 'four']) await state.append([userMessage(text)]);
  await state.close();
  await store.close();
  const folder = join(directory, toConversationKey(ID));
  const events = join(folder, 'events');
  for (const number of lost) {
    await damageRecord(folder, number + 1);
    rmSync(join(events, namesIn(events).find((name) => name.startsWith(`event-0000${number}`)) as string));
  }
  return { directory, events };
}

const namesIn = (events: string): string[] =>
  readdirSync(events)
    .filter((name) => name.startsWith('event-'))
    .sort();

const filesIn = (events: string): Event[] =>
  namesIn(events).map((name) => JSON.parse(readFileSync(join(events, name), 'utf8')) as Event);

async function opened(directory: string): Promise<{ store: FsStore; state: ConversationState; findings: Finding[] }> {
  const findings: Finding[] = [];
  const store = new FsStore({ directory, report: (finding) => findings.push(finding) });
  onTestFinished(() => store.close());
  return { store, state: await ConversationState.open(await store.open(ID, { owner: 'next' })), findings };
}

/** Expects files that OpenHands can read: dense numbers, and parents that are there. */
function expectReadable(events: string): void {
  expect(namesIn(events).map((name) => parseEventFileName(name)?.index)).toEqual([0, 1, 2, 3, 4]);
  const files = filesIn(events);
  const unknown = files.filter(({ parent_id: parent }, at) => {
    const older = files.slice(0, at).map(({ id }) => id);
    return typeof parent === 'string' && parent !== '__root__' && !older.includes(parent);
  });
  expect(unknown).toEqual([]);
}

describe.each([[[2]], [[0]], [[1, 2]], [[1, 3]], [[4]]])('without the records and files of events %j', (lost) => {
  test('P4: OpenHands finds a file for each number and each parent, and no lost event is made up in the log', async () => {
    const { directory, events } = await damaged(...lost);
    const { store, state } = await opened(directory);
    await state.close();
    await store.close();
    const kinds = filesIn(events).map(({ kind }) => kind);
    const kept = kinds.filter((kind) => kind !== 'ConversationErrorEvent');
    expect(kept).toHaveLength(5 - lost.length);
    if (!lost.includes(4)) expectReadable(events);
    const again = await opened(directory);
    expect((await again.state.events.slice()).map(({ kind }) => kind)).toEqual(kept);
    expect(again.findings.filter(({ kind }) => kind !== 'damage')).toEqual([]);
    expect(again.state.end.event).toBe(state.end.event);
  });
});

test('P4: events that OpenHands adds after a lost event are imported, and stand-ins are not', async () => {
  const { directory, events } = await damaged(2);
  const first = await opened(directory);
  const head = first.state.fields.leafEventId;
  await first.state.close();
  await first.store.close();
  const added = message('by OpenHands', head);
  writeFileSync(join(events, `event-00005-${added.id}.json`), JSON.stringify(added));
  const { state } = await opened(directory);
  expect((await state.events.slice()).map(({ kind }) => kind)).toEqual([
    'SystemPromptEvent',
    'MessageEvent',
    'MessageEvent',
    'MessageEvent',
    'MessageEvent',
  ]);
  expect(state.fields.leafEventId).toBe(added.id);
});

test('P4: check names a missing stand-in, and repair writes it', async () => {
  const { directory, events } = await damaged(2);
  const first = await opened(directory);
  await first.state.close();
  await first.store.close();
  rmSync(join(events, namesIn(events)[2] as string));
  const store = new FsStore({ directory });
  onTestFinished(() => store.close());
  const { findings } = await store.check(ID);
  expect(findings.filter(({ part }) => part === 'event file')).toMatchObject([{ severity: 'stale' }]);
  await store.check(ID, { repair: true });
  expectReadable(events);
});
