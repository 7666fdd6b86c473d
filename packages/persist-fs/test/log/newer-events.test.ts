import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { type Event, eventSchemas } from '@conv/core/events';
import { readEvents, toConversationKey, type JournalReader } from '@conv/core/store';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';

import { FsStore } from '../../src/index.ts';
import { Author } from '../support/conversation-author.ts';
import { freshFolder } from '../support/fresh-folder.ts';

/** Examples of events as OpenHands writes them, by their kind. */
const examples = new Map(
  readFileSync(join(import.meta.dirname, '../../../core/test/events/examples.jsonl'), 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Event)
    .map((event) => [event.kind, event]),
);

/** Returns a copy in which each object is what `change` makes of it, the inner ones first. */
function changed(event: Event, change: (value: object) => object): Event {
  return JSON.parse(JSON.stringify(event), (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value) ? change(value) : value,
  ) as Event;
}

const withMember = (event: Event, member: unknown): Event =>
  changed(event, (value) => ({ ...value, zz_member_of_tomorrow: member }));

/** The kind of a newer release, in the event itself or in all that it holds, such as its action. */
const ofNewerKind = (event: Event, isInner: boolean): Event => {
  const newer = changed(event, (value) => ('kind' in value ? { ...value, kind: 'KindOfTomorrow' } : value));
  return isInner ? ({ ...newer, kind: event.kind } as Event) : newer;
};

async function eventsOf(directory: string, id: string): Promise<readonly Event[]> {
  const store = new FsStore({ directory });
  const reader = (await store.read(id)) as JournalReader;
  const found = (await Array.fromAsync(readEvents(reader, 0))).map(({ event }) => event);
  await reader.close();
  await store.close();
  return found;
}

/** Writes the events into a new conversation. Resolves with its id and the folder of the store. */
async function written(events: readonly Event[]): Promise<{ readonly directory: string; readonly id: string }> {
  const directory = await freshFolder();
  const store = new FsStore({ directory });
  const author = new Author();
  const journal = await store.open(author.id, { owner: 'ours' });
  await author.begin(journal);
  await journal.append({ id: randomUUID(), events }, { ...author.fields, leafEventId: events.at(-1)?.id ?? null });
  await store.close();
  return { directory, id: author.id };
}

const filesOf = (folder: string): readonly unknown[] =>
  readdirSync(join(folder, 'events'))
    .filter((name) => /^event-\d+-.*\.json$/.test(name))
    .toSorted()
    .map((name): unknown => JSON.parse(readFileSync(join(folder, 'events', name), 'utf8')));

/** Returns an event without its parent, as text. */
const withoutParent = (event: object): string => JSON.stringify({ ...event, parent_id: undefined });

const json = fc.jsonValue({ maxDepth: 2 }).map((value): unknown => JSON.parse(JSON.stringify(value)));

test('each kind of event has an example', () => {
  expect([...examples.keys()].toSorted()).toEqual(Object.keys(eventSchemas).toSorted());
});

test.each([...examples])(
  'P3: newer members and kinds of a %s are kept in the store and its files, and read back from these',
  async (_, example) => {
    await fc.assert(
      fc.asyncProperty(fc.array(json, { minLength: 1, maxLength: 3 }), async (members) => {
        const newer = members.map((member) => withMember(example, member));
        const events = [...newer, ...newer.flatMap((event) => [true, false].map((inner) => ofNewerKind(event, inner)))];
        const own = events.map((event) => ({ ...event, id: randomUUID() }) as Event);
        const { directory, id } = await written(own);
        const folder = join(directory, toConversationKey(id));
        expect(await eventsOf(directory, id)).toEqual(own);
        expect(filesOf(folder)).toEqual(own);
        // as OpenHands leaves a folder: nothing is there but its files, in which the event before an event is its parent
        rmSync(join(folder, '.conv'), { recursive: true });
        expect((await eventsOf(directory, id)).map(withoutParent)).toEqual(own.map(withoutParent));
      }),
      { numRuns: 2 },
    );
  },
);
