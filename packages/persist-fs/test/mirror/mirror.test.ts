import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject, StatePatch } from '@conv/core';
import type { Event } from '@conv/core/events';
import { fallbackHead, isFileId, parseEventFileName } from '@conv/openhands/folder';
import { toConversationKey, type Journal } from '@conv/core/store';
import { describe, expect, onTestFinished, test } from 'vitest';
import { FsStore, type MirrorMode } from '../../src/index.ts';
import { Author, message } from '../support/conversation-author.ts';
import { freshFolder } from '../support/fresh-folder.ts';

/** An open conversation with three messages and the folder that shows it. */
async function open(mirror: MirrorMode): Promise<{ store: FsStore; journal: Journal; author: Author; folder: string }> {
  const directory = await freshFolder();
  const store = new FsStore({ directory, mirror });
  onTestFinished(() => store.close());
  const author = new Author();
  const journal = await store.open(author.id, { owner: 'ours' });
  await author.begin(journal);
  for (const text of ['a', 'b', 'c']) await author.say(journal, text);
  return { store, journal, author, folder: join(directory, toConversationKey(author.id)) };
}

const json = (path: string): JsonObject => JSON.parse(readFileSync(path, 'utf8')) as JsonObject;

/** HEAD as OpenHands finds it in the files. */
function headInFiles(folder: string): string | null {
  const named = json(join(folder, 'base_state.json'))['leaf_event_id'];
  if (typeof named === 'string') return named;
  const names = readdirSync(join(folder, 'events'))
    .filter((name) => parseEventFileName(name))
    .sort();
  return fallbackHead(names.map((name) => json(join(folder, 'events', name)) as unknown as Event));
}

describe.each(['always', 'deferred'] as const)('the files for OpenHands, written %s', (mirror) => {
  test.each<[string, StatePatch, string]>([
    ['policy', { set: { confirmationPolicy: { kind: 'AlwaysConfirm' } } }, 'confirmation_policy'],
    ['analyzer', { set: { securityAnalyzer: { kind: 'LLMSecurityAnalyzer' } } }, 'security_analyzer'],
    ['hooks', { set: { hookConfig: { stop: [] } } }, 'hook_config'],
    ['limits', { set: { maxIterations: 7 } }, 'max_iterations'],
    ['secrets', { set: { secretRegistry: { secret_sources: {} } } }, 'secret_registry'],
  ])('P4: the files for OpenHands show a change of %s before it is acknowledged', async (_, patch, member) => {
    const { journal, author, folder } = await open(mirror);
    await author.change(journal, patch);
    const value = Object.values(patch.set ?? patch.add ?? {})[0];
    expect(json(join(folder, 'base_state.json'))[member]).toEqual(value);
  });

  test('the files leave no count of events after that an SDK would trust instead of counting', async () => {
    const { store, journal, author, folder } = await open(mirror);
    await store.mirrorComplete(author.id);
    const count = join(folder, 'events', '.eventlog-len-3.marker');
    writeFileSync(count, '');
    await author.say(journal, 'after the count');
    await store.mirrorComplete(author.id);
    expect(existsSync(count)).toBe(false);
  });

  test('the files for OpenHands name HEAD only where the events alone would give another one', async () => {
    const { store, journal, author, folder } = await open(mirror);
    await store.mirrorComplete(author.id);
    expect(json(join(folder, 'base_state.json'))).not.toHaveProperty('leaf_event_id');
    expect(headInFiles(folder)).toBe(author.fields.leafEventId);
    const back = author.acknowledged[1]?.events[0]?.id ?? '';
    await author.change(journal, { set: { leafEventId: back } });
    expect(json(join(folder, 'base_state.json'))).toMatchObject({ leaf_event_id: back });
    await author.say(journal, 'another branch');
    await store.mirrorComplete(author.id);
    expect(json(join(folder, 'base_state.json'))).not.toHaveProperty('leaf_event_id');
    expect(headInFiles(folder)).toBe(author.fields.leafEventId);
  });

  test('the files lose a named HEAD before the first event file of an epoch that leaves it behind', async () => {
    const { store, journal, author, folder } = await open(mirror);
    const back = author.acknowledged[1]?.events[0]?.id ?? '';
    await author.change(journal, { set: { leafEventId: back } });
    await journal.close();
    const next = await store.open(author.id, { owner: 'next' });
    await author.say(next, 'another branch');
    await store.mirrorComplete(author.id);
    expect(headInFiles(folder)).toBe(author.fields.leafEventId);
  });

  test('the files are complete after closing, one file per event with the JSON of the log', async () => {
    const { journal, author, folder } = await open(mirror);
    await journal.close();
    const files = readdirSync(join(folder, 'events')).sort();
    const events = author.acknowledged.flatMap((commit) => commit.events);
    expect(files).toEqual(events.map(({ id }, at) => `event-0000${at}-${id}.json`));
    expect(files.map((name) => json(join(folder, 'events', name)))).toEqual(events);
    expect(json(join(folder, 'meta.json'))).toMatchObject({
      id: toConversationKey(author.id),
      conversation_id: author.id,
    });
    expect(json(join(folder, 'base_state.json'))).toMatchObject({ id: author.id, conv: { seq: 4 } });
  });

  test('P13: an id that is not a file name leads nowhere else', async () => {
    const { store, journal, author, folder } = await open(mirror);
    const odd = { ...message('odd', author.fields.leafEventId), id: '../../../escaped' };
    await journal.append({ id: 'odd', events: [odd] }, { ...author.fields, leafEventId: odd.id });
    await store.mirrorComplete(author.id);
    const [name] = readdirSync(join(folder, 'events')).filter((file) => file.startsWith('event-00003'));
    expect(isFileId(parseEventFileName(name ?? '')?.id ?? '')).toBe(true);
    expect(existsSync(join(folder, '..', '..', 'escaped.json'))).toBe(false);
    await journal.close();
    const again = await store.open(author.id, { owner: 'next' });
    expect(again.end.event).toBe(4);
  });
});

test('P12: state writes do not grow with the number of model calls', async () => {
  const { store, journal, author, folder } = await open('always');
  const size = async (): Promise<number> => {
    await store.mirrorComplete(author.id);
    return readFileSync(join(folder, 'base_state.json')).length;
  };
  const before = await size();
  for (let call = 0; call < 50; call++) await author.say(journal, `call ${call}`);
  expect((await size()) - before).toBeLessThan(64);
});

test('a folder that was deleted under an owner is not made again by it', async () => {
  const { journal, author, folder } = await open('always');
  writeFileSync(join(folder, 'note'), 'x');
  const { rmSync } = await import('node:fs');
  rmSync(folder, { recursive: true });
  await expect(author.say(journal, 'late')).rejects.toMatchObject({ code: 'FENCED' });
  await journal.close();
  expect(existsSync(folder)).toBe(false);
});
