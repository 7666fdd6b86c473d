import { execFile, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';

import { openStore } from '@conv/stores';
import { describe, expect, onTestFinished, test } from 'vitest';

import { commandOf, conv, type Setting } from './command.ts';
import { newFolder } from './new-folder.ts';
import { written } from './filled-store.ts';

const execFileOf = promisify(execFile);

/** A database with two conversations, and a way to harm it. */
async function database(): Promise<{ setting: Setting; ids: readonly string[]; harm: (sql: string) => void }> {
  const setting = { cwd: newFolder() };
  const file = join(setting.cwd, 'a.db');
  const opened = await openStore(`sqlite:${file}`);
  const { store } = opened;
  const ids = [await written(store, 4, 'one'), await written(store, 4, 'two')].sort();
  await opened.close();
  return { setting, ids, harm: (sql) => harmed(file, sql) };
}

function harmed(file: string, sql: string): void {
  const raw = new DatabaseSync(file);
  raw.exec(sql);
  raw.close();
}

/** Runs a command while its folder takes no writes, in a name space of its own; Linux alone has such. */
async function readOnly(
  { cwd }: Setting,
  ...args: string[]
): Promise<{ stdout: string; stderr: string; exitCode: number }> {
  const mounted = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && cd "$0" && exec "$@"';
  const { file, args: words, env } = commandOf(...args);
  const run = execFileOf('unshare', ['--mount', '--map-root-user', 'sh', '-c', mounted, cwd, file, ...words], { env });
  return await run.then(
    (done) => ({ ...done, exitCode: 0 }),
    (error: { stdout: string; stderr: string; code: number }) => ({ ...error, exitCode: error.code }),
  );
}

const canMount = spawnSync('unshare', ['--mount', '--map-root-user', 'true']).status === 0;

describe.runIf(canMount)('check and backup on a file system that takes no writes', () => {
  test('P4: check and backup read a closed database, and a repair that finds nothing writes nothing', async () => {
    const { setting } = await database();
    const checked = await readOnly(setting, 'check', 'sqlite:a.db');
    expect([checked.stdout, checked.exitCode]).toEqual(['', 0]);
    const to = newFolder();
    const saved = await readOnly(setting, 'backup', 'sqlite:a.db', '--to', `fs:${to}`);
    expect([saved.stderr, saved.exitCode]).toEqual([expect.stringContaining('10 commits written'), 0]);
    expect((await conv({ cwd: to }, 'check', `fs:${to}`)).exitCode).toBe(0);
    const repaired = await readOnly(setting, 'check', 'sqlite:a.db', '--repair');
    expect([repaired.stdout, repaired.exitCode]).toEqual(['', 0]);
  });

  test('P4: check and backup say what to do with a database whose log was never emptied', async () => {
    const { setting } = await database();
    writeFileSync(join(setting.cwd, 'a.db-wal'), Buffer.alloc(32, 1));
    const checked = await readOnly(setting, 'check', 'sqlite:a.db');
    expect(checked.stderr).toMatch(/takes no writes.*: copy it with the files beside it/s);
    expect(checked.exitCode).toBe(7);
  });
});

describe('check', () => {
  test('check of a whole store says nothing on standard output and ends with 0', async () => {
    const { setting } = await database();
    const checked = await conv(setting, 'check', 'sqlite:a.db');
    expect(checked.stdout).toBe('');
    expect(checked.stderr).toContain('2 conversations, 10 commits read: nothing is wrong');
    expect(checked.exitCode).toBe(0);
  });

  test('P4: check names a lost commit and ends with 1; --repair records the loss, which is then no error', async () => {
    const { setting, ids, harm } = await database();
    harm(
      "UPDATE commits SET body = replace(body, 'message', 'massage') WHERE position & 4294967295 = 2 AND position < 2 << 32",
    );
    const checked = await conv(setting, 'check', 'sqlite:a.db');
    expect(checked.stdout).toMatch(/^[0-9a-f-]{36} {2}lost {2}log: commit 2 cannot be read: /);
    expect(ids.some((id) => checked.stdout.startsWith(id))).toBe(true);
    expect(checked.exitCode).toBe(1);
    for (const more of [['--repair'], []]) {
      const known = await conv(setting, 'check', 'sqlite:a.db', ...more);
      expect(known.stdout).toMatch(
        /^[0-9a-f-]{36} {2}known {2}log: commit 2 cannot be read: .*; the log records this loss$/,
      );
      expect(known.stderr).toContain('1 span on record as lost, nothing else is wrong');
      expect(known.exitCode).toBe(0);
    }
  });

  test('P4: check --repair repairs what is made from the log, ends with 0, and leaves nothing wrong', async () => {
    const { setting, harm } = await database();
    harm("UPDATE conversations SET title = '{'; DELETE FROM event_ids WHERE event = 1");
    expect((await conv(setting, 'check', 'sqlite:a.db')).exitCode).toBe(1);
    const repaired = await conv(setting, 'check', 'sqlite:a.db', '--repair');
    expect(repaired.stdout).toMatch(/summary: .*\(repaired\)/);
    expect(repaired.stdout).toMatch(/index: .*\(repaired\)/);
    expect(repaired.exitCode).toBe(0);
    const again = await conv(setting, 'check', 'sqlite:a.db');
    expect([again.stdout, again.exitCode]).toEqual(['', 0]);
    const { stdout } = await conv(setting, 'copy', 'nothing', '--from', 'sqlite:a.db', '--to', 'fs:b');
    expect(stdout).toBe('');
  });

  test('check of one conversation, or of those behind one, looks at no other', async () => {
    const { setting, ids } = await database();
    const one = await conv(setting, 'check', 'sqlite:a.db', (ids[0] as string).slice(0, 9));
    expect(one.stderr).toContain('1 conversation, 5 commits read');
    const behind = await conv(setting, 'check', 'sqlite:a.db', '--after', ids[0] as string);
    expect(behind.stderr).toContain('1 conversation, 5 commits read');
    const done = await conv(setting, 'check', 'sqlite:a.db', '--after', (ids[1] as string).toUpperCase());
    expect([done.stderr, done.exitCode]).toEqual([
      expect.stringContaining('0 conversations, 0 commits read: nothing is wrong') as string,
      0,
    ]);
  });

  test.each(['fs:a', 'sqlite:a.db'])(
    '--repair of %s lists the findings of a conversation that another process owns, and why they stay',
    async (address) => {
      const setting = { cwd: newFolder() };
      const [kind, path = ''] = address.split(':');
      const opened = await openStore(`${kind}:${join(setting.cwd, path)}`);
      onTestFinished(() => opened.close());
      const { store } = opened;
      const [id, whole] = [await written(store, 4), await written(store, 4)];
      await store.open(id, { create: 'never', owner: 'the other one' });
      await store.open(whole, { create: 'never', owner: 'the other one' });
      if (kind === 'fs') writeFileSync(join(setting.cwd, 'a', id.replaceAll('-', ''), 'meta.json'), '{');
      else harmed(join(setting.cwd, path), `UPDATE conversations SET title = '{' WHERE id = '${id}'`);
      for (const more of [[], [id]]) {
        const { stdout, stderr, exitCode } = await conv(setting, 'check', address, '--repair', ...more);
        expect(stdout).toMatch(new RegExp(`^${id}  (?:damaged|stale)  summary: `));
        expect(stdout.split('\n').at(-1)).toMatch(
          new RegExp(`^${id}  not repaired  .*is owned by the other one.*; close it there, or read it, or wait until`),
        );
        expect(stderr).toMatch(/1 finding, 0 repaired, 1 conversation not repaired because another process owns it$/);
        expect([stdout.includes('(repaired)'), stdout.includes(whole), exitCode]).toEqual([false, false, 4]);
      }
      const one = await conv(setting, 'check', address, whole, '--repair');
      expect([one.stdout, one.exitCode]).toEqual(['', 0]);
    },
  );

  test.each([
    [['nowhere:x'], 'unknown kind of store nowhere', 2],
    [['.', '--after', 'the last one'], 'the last one', 2],
    [['sqlite:not-there.db'], 'there is no store at', 3],
    [['postgres://u:hunter2@127.0.0.1:1/x'], 'ECONNREFUSED', 7],
  ])('%j is refused', async (args, reason, exitCode) => {
    const refused = await conv({ cwd: newFolder() }, 'check', ...args);
    expect(refused.stdout + refused.stderr).toContain(reason);
    expect(refused.stderr).not.toContain('hunter2');
    expect(refused.exitCode).toBe(exitCode);
  });
});
