import { cpSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projections, ConversationState, type JsonObject } from '@conv/core';
import { userMessage } from '@conv/core/events';
import { toConversationKey } from '@conv/core/store';
import { expect, onTestFinished, test } from 'vitest';
import { encodeEpochStart } from '../../src/log/epoch-file.ts';
import { FsStore, type Finding } from '../../src/index.ts';
import { freshFolder } from '../support/fresh-folder.ts';

const [B, C] = ['00000000-0000-4000-8000-00000000000b', '00000000-0000-4000-8000-00000000000c'] as const;

interface Made {
  readonly directory: string;
  readonly store: FsStore;
  readonly findings: Finding[];
  readonly b: string;
  readonly c: string;
}

/** Two conversations of ours; B has more commits than C. */
async function twoConversations(): Promise<Made> {
  const directory = await freshFolder();
  const findings: Finding[] = [];
  const store = new FsStore({ directory, report: (finding) => findings.push(finding) });
  onTestFinished(() => store.close());
  for (const [id, messages] of [
    [B, 6],
    [C, 2],
  ] as const) {
    const state = await ConversationState.open(await store.open(id, { owner: 'writer' }), { id });
    for (let at = 0; at < messages; at++) await state.append([userMessage(`${at}`)]);
    await state.update({ set: { title: id === B ? 'title of B' : 'title of C' } });
    await state.close();
  }
  return {
    directory,
    store,
    findings,
    b: join(directory, toConversationKey(B)),
    c: join(directory, toConversationKey(C)),
  };
}

const FILES = ['base_state.json', 'meta.json', 'base_state.json and meta.json'] as const;

test.each(FILES)(
  'P4: %s of our other conversation loses nothing, and the conversation opens as it was',
  async (files) => {
    const names = files.split(' and ');
    const { store, findings, b, c } = await twoConversations();
    const before = await store.read(C);
    const commits = await Array.fromAsync(before?.commits() ?? []);
    for (const name of names) cpSync(join(b, name), join(c, name));
    for (const owner of ['first', 'second']) {
      const state = await ConversationState.open(await store.open(C, { owner }), { id: C });
      expect(state).toMatchObject({ id: C, title: 'title of C', damaged: false, damage: [] });
      await state.close();
    }
    const reader = await store.read(C);
    expect(await Array.fromAsync(reader?.commits() ?? [])).toEqual(commits);
    expect(findings).toEqual(
      names.map((name) => ({
        kind: 'misfit',
        conversationId: C,
        reason: `${name} is the one of conversation ${B}; nothing is taken over from it`,
      })),
    );
    expect(readdirSync(join(c, '.conv/foreign')).toSorted()).toEqual(names);
  },
);

test.each(FILES)('P4: check names %s of our other conversation, and repair writes it again', async (files) => {
  const names = files.split(' and ');
  const { store, b, c } = await twoConversations();
  for (const name of names) cpSync(join(b, name), join(c, name));
  const expected = names.map((name) => ({
    part: 'summary',
    severity: 'damaged',
    message: `${name} is the one of conversation ${B}`,
  }));
  expect((await store.check(C)).findings).toMatchObject(expected);
  const { findings } = await store.check(C, { repair: true });
  expect(findings).toEqual(expected.map((found) => ({ ...found, repaired: true })));
  expect((await store.check(C)).findings).toEqual([]);
  expect((JSON.parse(readFileSync(join(c, 'base_state.json'), 'utf8')) as JsonObject)['id']).toBe(C);
});

test.each(FILES)('P4: a list shows the own title beside %s of our other conversation', async (files) => {
  const names = files.split(' and ');
  const { directory, b, c } = await twoConversations();
  for (const name of names) cpSync(join(b, name), join(c, name));
  const { items } = await new FsStore({ directory }).list();
  expect(Object.fromEntries(items.map(({ id, title }) => [id, title]))).toEqual({
    [B]: 'title of B',
    [C]: 'title of C',
  });
});

test('P4: a fork of a conversation beside the state of another one is a fork of the conversation', async () => {
  const { store, b, c } = await twoConversations();
  for (const name of ['base_state.json', 'meta.json']) cpSync(join(b, name), join(c, name));
  const fork = '00000000-0000-4000-8000-00000000000f';
  await store.fork(C, fork, { patch: { set: { id: fork } } });
  const reader = await store.read(fork);
  expect(reader?.damage).toEqual([]);
  expect(reader && (await projections.readState(reader)).fields).toMatchObject({ id: fork, title: 'title of C' });
});

test('P4: the state of the source in the folder of its fork is not taken for the state of the fork', async () => {
  const { directory, store, b } = await twoConversations();
  const fork = '00000000-0000-4000-8000-00000000000f';
  await store.fork(B, fork, { patch: { set: { id: fork, title: 'title of the fork' } } });
  await store.mirrorComplete(fork);
  const folder = join(directory, toConversationKey(fork));
  for (const name of ['base_state.json', 'meta.json']) cpSync(join(b, name), join(folder, name));
  expect((await store.check(fork)).findings.map(({ message }) => message)).toEqual([
    `base_state.json is the one of conversation ${B}`,
    `meta.json is the one of conversation ${B}`,
  ]);
  const state = await ConversationState.open(await store.open(fork, { owner: 'next' }), { id: fork });
  expect(state).toMatchObject({ title: 'title of the fork', damaged: false });
  await state.close();
});

test('P4: a folder that was copied as a whole keeps its state files, and check finds nothing wrong in it', async () => {
  const { directory, store, findings, b } = await twoConversations();
  const copy = '00000000-0000-4000-8000-00000000000d';
  const folder = join(directory, toConversationKey(copy));
  cpSync(b, folder, { recursive: true, preserveTimestamps: true });
  expect((await store.check(copy)).findings).toEqual([]);
  const journal = await store.open(copy, { owner: 'next' });
  expect((await projections.readState(journal)).fields).toMatchObject({ id: B, title: 'title of B', damaged: false });
  expect(journal.damage).toEqual([]);
  await journal.close();
  expect(existsSync(join(folder, '.conv/foreign'))).toBe(false);
  expect(findings).toEqual([]);
});

test('P4: a log that already records a loss that another state file named opens again', async () => {
  const { store, b, c } = await twoConversations();
  cpSync(join(b, 'base_state.json'), join(c, 'base_state.json'));
  // An earlier version believed the number of commits in that file, and began an epoch after it.
  const log = join(c, '.conv');
  const { size } = statSync(join(log, 'epoch-00000001.wal'));
  const start = {
    epoch: 2,
    prev: 1,
    sealedAt: size,
    seq: 8,
    event: 2,
    owner: 'old',
    createdAt: '2026-01-01T00:00:00.000Z',
  };
  writeFileSync(join(log, 'epoch-00000002.wal'), encodeEpochStart(start));
  for (const owner of ['first', 'second']) {
    const state = await ConversationState.open(await store.open(C, { owner }), { id: C });
    expect(state).toMatchObject({ id: C, title: 'title of C', damaged: true });
    expect(state.damage).toMatchObject([{ from: 4, to: 7 }]);
    await state.close();
  }
});
