import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { projections, type JsonObject } from '@conv/core';
import { toConversationId, toConversationKey } from '@conv/core/store';
import { describe, expect, onTestFinished, test } from 'vitest';
import { FsStore, type Finding } from '../../src/index.ts';
import { Author } from '../support/conversation-author.ts';
import { freshFolder } from '../support/fresh-folder.ts';

const fixtures = join(import.meta.dirname, '../../../../testing/fixtures/conversations');
const KEY = '328be85a2bfd49359351927befc80879';
const OTHER = '0123456789abcdef0123456789abcdef';

function storeIn(directory: string): { store: FsStore; findings: Finding[] } {
  const findings: Finding[] = [];
  const store = new FsStore({ directory, report: (finding) => findings.push(finding) });
  onTestFinished(() => store.close());
  return { store, findings };
}

const filesIn = (folder: string): string[] => (readdirSync(folder, { recursive: true }) as string[]).toSorted();

describe('a folder of OpenHands under a name that is not the id inside', () => {
  async function renamed(): Promise<string> {
    const directory = await freshFolder();
    await cp(join(fixtures, KEY), join(directory, OTHER), { recursive: true });
    rmSync(join(directory, OTHER, 'owner_lease.json'), { force: true });
    return directory;
  }

  test('P13: a folder with another id inside is refused with both ids and a remedy, and nothing is written', async () => {
    const directory = await renamed();
    const before = filesIn(directory);
    const { store } = storeIn(directory);
    const refused = {
      code: 'CORRUPT',
      message: expect.stringMatching(
        new RegExp(`${toConversationId(OTHER)}.*id ${toConversationId(KEY)}.*name ${KEY}`),
      ),
    };
    await expect(store.open(OTHER, { owner: 'ours' })).rejects.toMatchObject(refused);
    await expect(store.read(OTHER)).rejects.toMatchObject(refused);
    await expect(store.fork(OTHER, crypto.randomUUID(), { patch: {} })).rejects.toMatchObject(refused);
    expect(filesIn(directory)).toEqual(before);
  });

  test('P13: a folder with another id inside is listed with the reason, and the others as ever', async () => {
    const directory = await renamed();
    await cp(join(fixtures, KEY), join(directory, KEY), { recursive: true });
    const { items } = await storeIn(directory).store.list();
    expect(items).toHaveLength(2);
    expect(items.find(({ id }) => id === toConversationId(OTHER))?.unreadable).toContain(
      `the id ${toConversationId(KEY)}`,
    );
    expect(items.find(({ id }) => id === toConversationId(KEY))?.unreadable).toBeUndefined();
  });

  test('a foreign folder opens when it is given the name of its conversation', async () => {
    const directory = await renamed();
    await cp(join(directory, OTHER), join(directory, KEY), { recursive: true });
    rmSync(join(directory, OTHER), { recursive: true });
    const journal = await storeIn(directory).store.open(KEY, { owner: 'ours' });
    expect((await projections.readState(journal)).fields.id).toBe(toConversationId(KEY));
  });
});

test.each(['base_state.json', 'meta.json'])(
  'P4: %s of another conversation in a folder of ours changes no setting, is reported and kept aside',
  async (name) => {
    const directory = await freshFolder();
    const author = new Author();
    const first = new FsStore({ directory });
    const journal = await first.open(author.id, { owner: 'ours' });
    await author.begin(journal);
    await author.change(journal, { set: { confirmationPolicy: { kind: 'AlwaysConfirm' }, title: 'ours' } });
    await first.close();
    const folder = join(directory, toConversationKey(author.id));
    const theirs = readFileSync(join(fixtures, KEY, name), 'utf8');
    const strange = JSON.stringify({ ...(JSON.parse(theirs) as JsonObject), title: 'theirs', max_iterations: 77 });
    writeFileSync(join(folder, name), strange);
    const { store, findings } = storeIn(directory);
    const { fields } = await projections.readState(await store.open(author.id, { owner: 'next' }));
    expect(fields).toMatchObject({
      id: author.id,
      title: 'ours',
      confirmationPolicy: { kind: 'AlwaysConfirm' },
      maxIterations: author.fields.maxIterations,
      damaged: false,
    });
    expect(findings).toMatchObject([
      { kind: 'misfit', reason: expect.stringContaining(toConversationId(KEY)) as string },
    ]);
    await store.close();
    expect(readFileSync(join(folder, '.conv/foreign', name), 'utf8')).toBe(strange);
    expect(JSON.parse(readFileSync(join(folder, name), 'utf8'))).toMatchObject({
      id: name === 'meta.json' ? toConversationKey(author.id) : author.id,
    });
  },
);
