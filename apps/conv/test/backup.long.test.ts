import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';

import { projections, initialFields, type StateFields } from '@conv/core';
import { openStore, type OpenedStore } from '@conv/stores';
import { inCi } from '@conv/testing-harness';
import { afterAll, describe, expect, test } from 'vitest';

import { commandOf, conv, type Setting } from './command.ts';
import { newFolder } from './new-folder.ts';
import { commitIds, keepSaying, say, written } from './filled-store.ts';

const opened: OpenedStore[] = [];
afterAll(() => Promise.all(opened.map((store) => store.close())));

async function storeAt(setting: Setting, address: string): Promise<OpenedStore['store']> {
  const [kind, path = ''] = address.split(':');
  const store = await openStore(`${kind}:${join(setting.cwd, path)}`);
  opened.push(store);
  return store.store;
}

/** True if both hold the same commits. */
async function same(setting: Setting, ids: readonly string[], one: string, other: string): Promise<void> {
  const [left, right] = [await storeAt(setting, one), await storeAt(setting, other)];
  for (const id of ids) expect(await commitIds(right, id)).toEqual(await commitIds(left, id));
}

/** Damages the record of commit 3, and the event files where there are any. */
function damageRecord({ cwd }: Setting, address: string, id: string): void {
  if (address.startsWith('sqlite:')) {
    const raw = new DatabaseSync(join(cwd, 'from.db'));
    raw.exec("UPDATE commits SET body = replace(body, 'message 2', 'massage 2')");
    raw.close();
    return;
  }
  const folder = join(cwd, 'from', id.replaceAll('-', ''));
  const wal = join(folder, '.conv/epoch-00000001.wal');
  const bytes = readFileSync(wal);
  const at = bytes.indexOf('message 2');
  bytes[at] = (bytes[at] as number) ^ 1;
  writeFileSync(wal, bytes);
  rmSync(join(folder, 'events'), { recursive: true });
}

async function stateOf(store: OpenedStore['store'], id: string): Promise<StateFields> {
  const reader = await store.read(id);
  if (!reader) throw new Error(`${id} is not there`);
  const { fields } = await projections.readState(reader);
  await reader.close();
  return fields;
}

describe('backup', () => {
  const pairs = [
    ['fs:from', 'sqlite:to.db'],
    ['fs:from', 'fs:to'],
    ['sqlite:from.db', 'fs:to'],
    ['sqlite:from.db', 'sqlite:to.db'],
  ] as const;

  test.each(inCi(pairs, 2))(
    'a backup of %s to %s copies every conversation, and then only what is new',
    async (from, to) => {
      const setting = { cwd: newFolder() };
      const store = await storeAt(setting, from);
      const ids = [await written(store, 3), await written(store, 0), await written(store, 5)];
      const first = await conv(setting, 'backup', from, '--to', to);
      expect(first.exitCode).toBe(0);
      expect(first.stdout.split('\n').sort()).toEqual(
        [
          `${ids[0]}  4 written, 0 existed`,
          `${ids[1]}  1 written, 0 existed`,
          `${ids[2]}  6 written, 0 existed`,
        ].sort(),
      );
      const more = await written(store, 1);
      const again = await conv(setting, 'backup', from, '--to', to);
      expect(again.stderr).toContain('4 conversations: 2 commits written, 11 existed; all read back equal');
      await same(setting, [...ids, more], from, to);
    },
  );

  test('backup writes what a conversation held at one moment, while its writer goes on', async () => {
    const setting = { cwd: newFolder() };
    const store = await storeAt(setting, 'fs:from');
    const id = await written(store, 2);
    const journal = await store.open(id, { owner: 'writer' });
    const stop = keepSaying(journal, { ...initialFields, id });
    const { exitCode, stderr } = await conv(setting, 'backup', 'fs:from', id.slice(0, 8), '--to', 'sqlite:to.db');
    await stop();
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining('1 conversation:') as string]);
    const [all, copied] = [await commitIds(store, id), await commitIds(await storeAt(setting, 'sqlite:to.db'), id)];
    expect(copied.length).toBeGreaterThanOrEqual(3);
    expect(copied).toEqual(all.slice(0, copied.length));
    expect((await conv(setting, 'check', 'sqlite:to.db')).exitCode).toBe(0);
  });

  test('a killed backup is continued by the same command', async () => {
    const setting = { cwd: newFolder() };
    const store = await storeAt(setting, 'sqlite:from.db');
    const ids: string[] = [];
    for (let at = 0; at < 12; at++) ids.push(await written(store, 30));
    const { file, args, env } = commandOf('backup', 'sqlite:from.db', '--to', 'fs:to');
    const killed = spawn(file, args, { cwd: setting.cwd, env, stdio: ['ignore', 'pipe', 'ignore'] });
    await once(createInterface({ input: killed.stdout }), 'line');
    killed.kill('SIGKILL');
    await once(killed, 'close');
    const again = await conv(setting, 'backup', 'sqlite:from.db', '--to', 'fs:to');
    expect(again.exitCode).toBe(0);
    expect(again.stdout).toContain('0 written, 31 existed');
    await same(setting, ids, 'sqlite:from.db', 'fs:to');
    expect((await conv(setting, 'check', 'fs:to')).stdout).toBe('');
  });

  test('copies everything else when one conversation continues differently in the copy, and says which', async () => {
    const setting = { cwd: newFolder() };
    const store = await storeAt(setting, 'sqlite:from.db');
    await Promise.all([written(store, 2), written(store, 2), written(store, 2)]);
    const before = await conv(setting, 'backup', 'sqlite:from.db', '--to', 'sqlite:to.db');
    const [id = '', ...others] = before.stdout.split('\n').map((line) => line.slice(0, 36));
    const target = await storeAt(setting, 'sqlite:to.db');
    const journal = await target.open(id, { owner: 'somebody' });
    await say(journal, { ...initialFields, id }, 'only in the copy');
    await journal.close();
    const again = await conv(setting, 'backup', 'sqlite:from.db', '--to', 'sqlite:to.db');
    expect(again.stdout.split('\n')).toEqual([
      expect.stringMatching(new RegExp(`^${id} {2}not copied: .*continues differently`)),
      ...others.map((other) => `${other}  0 written, 3 existed`),
    ]);
    expect(again.stderr).toContain(
      '2 conversations: 0 commits written, 6 existed; all read back equal, 1 conversation not copied',
    );
    expect(again.exitCode).toBe(2);
  });

  test.each([
    ['fs:from', 'fs:./from/'],
    ['fs:from', 'fs:link'],
    ['sqlite:from.db', 'sqlite:link/../from.db'],
  ])('a backup of %s to %s is refused, because that is no copy, and writes nothing', async (from, to) => {
    const setting = { cwd: newFolder() };
    const store = await storeAt(setting, from);
    const id = await written(store, 1);
    symlinkSync('from', join(setting.cwd, 'link'));
    mkdirSync(join(setting.cwd, 'from'), { recursive: true });
    const before = (await store.list()).items;
    for (const args of [
      ['backup', from, '--to', to],
      ['copy', id, '--from', from, '--to', to],
    ]) {
      const refused = await conv(setting, ...args);
      expect(refused.stderr).toContain('expected another store than the source');
      expect(refused.exitCode).toBe(2);
    }
    expect((await store.list()).items).toEqual(before);
  });

  test.each([
    [
      'fs:from',
      'fs:from/CONVERSATION',
      /^conv: --to: .*CONVERSATION: .*found the folder of one conversation; the store/,
    ],
    ['fs:from', 'fs:link/CONVERSATION/events/x', /^conv: --to: .*: .*found the folder of one conversation/],
    ['fs:from', 'sqlite:from/CONVERSATION/a.db', /^conv: --to: .*a\.db: .*found the folder of one conversation/],
    ['sqlite:other.db', 'fs:from/CONVERSATION', /^conv: --to: .*found the folder of one conversation/],
    ['fs:from', 'fs:from/backup', /^conv: --to: expected a place outside the source, found .*from\/backup inside it/],
    ['fs:from', 'fs:link/new/backup', /^conv: --to: expected a place outside the source/],
    ['fs:from', 'sqlite:from/a.db', /^conv: --to: expected a place outside the source, found .*a\.db inside it/],
    [
      's3:bucket/a?region=eu-west-1',
      's3:bucket/a/b?region=eu-west-1',
      /^conv: --to: expected a place outside the source, found a prefix inside it/,
    ],
    ['fs:from/CONVERSATION', 'fs:to', /^conv: .*found the folder of one conversation; the store is .*from/],
  ])('a backup of %s to %s is refused by name, because the copy has no place there', async (from, to, reason) => {
    const setting = { cwd: newFolder() };
    const id = await written(await storeAt(setting, 'fs:from'), 1);
    await written(await storeAt(setting, 'sqlite:other.db'), 1);
    symlinkSync('from', join(setting.cwd, 'link'));
    const before = readdirSync(setting.cwd, { recursive: true });
    const named = (text: string): string => text.replaceAll('CONVERSATION', id.replaceAll('-', ''));
    for (const args of [
      ['backup', named(from), '--to', named(to)],
      ['copy', id, '--from', named(from), '--to', named(to)],
    ]) {
      const refused = await conv(setting, ...args);
      expect(refused.stderr).toMatch(new RegExp(named(reason.source)));
      expect(refused.exitCode).toBe(2);
    }
    expect(readdirSync(setting.cwd, { recursive: true })).toEqual(before);
  });

  test('backup of an empty store says so and ends with 3, as after a typing mistake', async () => {
    const setting = { cwd: newFolder() };
    mkdirSync(join(setting.cwd, 'form'));
    const nothing = await conv(setting, 'backup', 'fs:form', '--to', 'sqlite:to.db');
    expect(nothing.stderr).toContain('no conversation in fs:form');
    expect(nothing.exitCode).toBe(3);
  });

  test.each(['sqlite:to.db', 'fs:to'])(
    'P4: a backup of a damaged conversation to %s leaves none of its id there',
    async (to) => {
      const setting = { cwd: newFolder() };
      const store = await storeAt(setting, 'fs:from');
      const id = await written(store, 3);
      const wal = join(setting.cwd, 'from', id.replaceAll('-', ''), '.conv/epoch-00000001.wal');
      const bytes = readFileSync(wal);
      const at = bytes.indexOf('"patch"');
      bytes[at] = (bytes[at] as number) ^ 1;
      writeFileSync(wal, bytes);
      const failed = await conv(setting, 'backup', 'fs:from', '--to', to);
      expect(failed.stdout).toContain(`${id}  not copied: commit 0 of the source cannot be read`);
      expect([failed.stderr, failed.exitCode]).toEqual(['1 conversation not copied', 7]);
      expect((await (await storeAt(setting, to)).list()).items).toEqual([]);
    },
  );

  test.each(inCi(pairs, 2))(
    'P4: a backup of a damaged conversation of %s to %s, and of its fork, copies a loss that is on record',
    async (from, to) => {
      const setting = { cwd: newFolder() };
      const store = await storeAt(setting, from);
      const id = await written(store, 5);
      damageRecord(setting, from, id);
      const refused = await conv(setting, 'backup', from, '--to', to);
      expect(refused.stdout).toContain('commit 3 of the source cannot be read');
      expect(refused.stdout).toContain('check with repair restores it or records the loss');
      expect((await conv(setting, 'check', from, '--repair')).exitCode).toBe(0);
      const fork = randomUUID();
      await store.fork(id, fork, { patch: { set: { id: fork } } });
      const copied = await conv(setting, 'backup', from, '--to', to);
      expect([copied.stdout, copied.exitCode]).toEqual([expect.not.stringContaining('not copied') as string, 0]);
      const [left, right] = [await storeAt(setting, from), await storeAt(setting, to)];
      for (const each of [id, fork]) {
        const [before, after] = [await stateOf(left, each), await stateOf(right, each)];
        expect(after).toEqual(before);
        expect(after).toMatchObject({ damaged: true, damage: [{ from: 3, to: 3 }] });
      }
      const checked = await conv(setting, 'check', to);
      expect(checked.stdout.match(/ known {2}log: commit 3 cannot be read/g)).toHaveLength(2);
      expect(checked.exitCode).toBe(0);
      const again = await conv(setting, 'backup', from, '--to', to);
      expect(again.stderr).toContain('2 conversations: 0 commits written');
      const back = await conv(setting, 'backup', to, '--to', 'sqlite:third.db');
      expect([back.stderr, back.exitCode]).toEqual([expect.stringContaining('all read back equal') as string, 0]);
    },
  );

  test.each([
    [['nowhere:x', '--to', 'fs:a'], 'unknown kind of store nowhere', 2],
    [['fs:a'], "required option '--to <store>'", 2],
    [['fs:a', '--to', 'postgres://u:hunter2@127.0.0.1:1/x', 'abcd'], 'there is no store at', 3],
  ])('%j is refused', async (args, reason, exitCode) => {
    const refused = await conv({ cwd: newFolder() }, 'backup', ...args);
    expect(refused.stderr).toContain(reason);
    expect(refused.stderr).not.toContain('hunter2');
    expect(refused.exitCode).toBe(exitCode);
  });
});
