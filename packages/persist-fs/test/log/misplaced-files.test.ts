import { cpSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ConversationState } from '@conv/core';
import { userMessage } from '@conv/core/events';
import { toConversationKey, type Commit } from '@conv/core/store';
import { expect, onTestFinished, test } from 'vitest';
import { FsStore } from '../../src/index.ts';
import { freshFolder } from '../support/fresh-folder.ts';

const [A, B] = ['00000000-0000-4000-8000-00000000000a', '00000000-0000-4000-8000-00000000000b'] as const;
const FIRST = 'epoch-00000001.wal';
const SECOND = 'epoch-00000002.wal';

interface Made {
  readonly directory: string;
  readonly a: string;
  readonly b: string;
  readonly before: readonly Commit[];
}

async function speak(store: FsStore, id: string, texts: readonly string[]): Promise<void> {
  const state = await ConversationState.open(await store.open(id, { owner: 'writer' }), { id });
  for (const text of texts) await state.append([userMessage(text)]);
  await state.close();
}

async function commitsOf(store: FsStore, id: string): Promise<readonly Commit[]> {
  const reader = await store.read(id);
  try {
    return await Array.fromAsync(reader?.commits() ?? []);
  } finally {
    await reader?.close();
  }
}

/** A with nine events in epoch 1 and one in epoch 2, and B, whose commits are of the same sizes. */
async function made(): Promise<Made> {
  const directory = await freshFolder();
  const store = new FsStore({ directory });
  for (const id of [A, B]) {
    await speak(
      store,
      id,
      Array.from({ length: 9 }, (_, at) => `${id === A ? 'own' : 'foe'} ${at}`),
    );
    await speak(store, id, ['last']);
  }
  const before = await commitsOf(store, A);
  await store.close();
  return { directory, a: join(directory, toConversationKey(A)), b: join(directory, toConversationKey(B)), before };
}

function opened(directory: string): FsStore {
  const store = new FsStore({ directory });
  onTestFinished(() => store.close());
  return store;
}

test.each([
  [FIRST, FIRST, 0, 9],
  [FIRST, SECOND, 10, 10],
  [SECOND, FIRST, 0, 9],
  [SECOND, SECOND, 10, 10],
])(
  'P4: the file %s of another conversation over %s costs its commits alone, and shows none of its own',
  async (theirs, ours, from, to) => {
    const { directory, a, b, before } = await made();
    cpSync(join(b, '.conv', theirs), join(a, '.conv', ours));
    const store = opened(directory);
    const reader = await store.read(A);
    const commits = await Array.fromAsync(reader?.commits() ?? []);
    expect(reader?.damage.map((span) => [span.from, span.to])).toEqual([[from, to]]);
    const whole = before.filter(({ seq }) => seq < from || seq > to);
    expect(commits.filter(({ seq }) => seq < from || seq > to)).toEqual(whole);
    // The events of the lost commits come back from their files.
    expect(commits.flatMap(({ events }) => events)).toEqual(before.flatMap(({ events }) => events));
    await reader?.close();
    const { findings } = await store.check(A);
    expect(findings.map(({ message }) => message)).toContain(`${ours} is a file of another log`);
    const state = await ConversationState.open(await store.open(A, { owner: 'next' }), { id: A });
    expect(state).toMatchObject({ damaged: true, damage: [{ from, to }] });
    await state.append([userMessage('goes on')]);
    await state.close();
    expect((await commitsOf(store, A)).flatMap(({ events }) => events).slice(0, 10)).toEqual(
      before.flatMap(({ events }) => events),
    );
    expect((await store.check(B)).findings).toEqual([]);
  },
);

test('P4: the own first file over the second one costs the commits of the second one alone', async () => {
  const { directory, a, before } = await made();
  cpSync(join(a, '.conv', FIRST), join(a, '.conv', SECOND));
  const store = opened(directory);
  expect((await commitsOf(store, A)).slice(0, 10)).toEqual(before.slice(0, 10));
});

test.each([FIRST, SECOND])(
  'P4: repair sets %s of another log aside, and check names only the loss then',
  async (name) => {
    const { directory, a, b, before } = await made();
    cpSync(join(b, '.conv', name), join(a, '.conv', name));
    const store = opened(directory);
    const repaired = await store.check(A, { repair: true });
    expect(repaired.findings.find(({ message }) => message === `${name} is a file of another log`)?.repaired).toBe(
      true,
    );
    expect(readdirSync(join(a, '.conv/foreign'))).toContain(name);
    expect((await store.check(A)).findings.map(({ severity }) => severity)).toEqual(['known']);
    expect((await commitsOf(store, A)).flatMap(({ events }) => events)).toEqual(before.flatMap(({ events }) => events));
  },
);

test.each(['index', 'events'])(
  'P4: an own log stays whole beside the %s of another conversation, or none',
  async (name) => {
    const { directory, a, b, before } = await made();
    const place = name === 'index' ? '.conv/index' : name;
    for (const replace of [true, false]) {
      rmSync(join(a, place), { recursive: true });
      if (replace) cpSync(join(b, place), join(a, place), { recursive: true });
      const store = opened(directory);
      const reader = await store.read(A);
      expect((await Array.fromAsync(reader?.commits() ?? [])).slice(0, before.length)).toEqual(before);
      expect(reader?.damage).toEqual([]);
      await reader?.close();
    }
  },
);
