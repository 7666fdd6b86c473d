import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';

import { projections, initialFields, type StateFields } from '@conv/core';
import { openStore, type OpenedStore } from '@conv/stores';
import { inCi } from '@conv/testing-harness';
import { PostgresServer } from '@conv/testing-postgres-server';
import { createS3Server, type S3Server } from '@conv/testing-s3-server';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';

import { commandOf, conv } from './command.ts';
import { newFolder } from './new-folder.ts';
import { commitIds, keepSaying, written } from './filled-store.ts';

const env = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test1234' };
const opened: OpenedStore[] = [];
let postgres: PostgresServer;
let s3: S3Server;

beforeAll(async () => {
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  [postgres, s3] = await Promise.all([PostgresServer.start(), createS3Server()]);
  s3.createBucket('conversations');
}, 60_000);

afterAll(async () => {
  vi.unstubAllEnvs();
  for (const store of opened) await store.close();
  await Promise.all([postgres.stop(), s3.close()]);
});

type Kind = 'fs' | 'sqlite' | 'postgres' | 's3';

/** The address of a store that is empty. */
function addressOf(kind: Kind): string {
  const name = `n${randomUUID().replaceAll('-', '')}`;
  if (kind === 'postgres') return `${postgres.url()}?schema=${name}`;
  if (kind === 's3') return `s3:conversations/${name}?region=us-east-1&endpoint=${s3.url}`;
  return `${kind}:${join(newFolder(), kind === 'fs' ? 'folder' : 'file.db')}`;
}

async function storeAt(address: string): Promise<OpenedStore['store']> {
  const store = await openStore(address);
  opened.push(store);
  return store.store;
}

/** Sources and targets, in parts that have each kind of shared store on both sides. CI has one part. */
const parts: readonly (readonly (readonly [Kind, Kind])[])[] = [
  [
    ['fs', 's3'],
    ['s3', 'sqlite'],
    ['sqlite', 'postgres'],
    ['postgres', 'fs'],
  ],
  [
    ['fs', 'postgres'],
    ['postgres', 'sqlite'],
    ['sqlite', 's3'],
    ['s3', 'fs'],
  ],
  [
    ['postgres', 's3'],
    ['s3', 'postgres'],
    ['postgres', 'postgres'],
    ['s3', 's3'],
  ],
];
const pairs = inCi(parts, 3).flat();

test.each(pairs)(
  'backup from %s to %s copies a conversation that is being written, and check finds it whole',
  async (from, to) => {
    const setting = { cwd: newFolder(), env };
    const [source, target] = [addressOf(from), addressOf(to)];
    const store = await storeAt(source);
    const id = await written(store, 2);
    const journal = await store.open(id, { owner: 'writer' });
    const stop = keepSaying(journal, { ...initialFields, id });
    const { exitCode, stderr } = await conv(setting, 'backup', source, '--to', target);
    await stop();
    await journal.close();
    expect([exitCode, stderr]).toEqual([0, expect.stringContaining('all read back equal') as string]);
    const [all, copied] = [await commitIds(store, id), await commitIds(await storeAt(target), id)];
    expect(copied.length).toBeGreaterThanOrEqual(3);
    expect(copied).toEqual(all.slice(0, copied.length));
    expect((await conv(setting, 'check', target)).exitCode).toBe(0);
  },
  90_000,
);

/** Damages the record of commit 3 in a store that is closed, and its event files where there are any. */
async function damageRecord(address: string, id: string): Promise<void> {
  const [kind = '', place = ''] = address.split(/:(.*)/s);
  if (kind === 's3') {
    const key = s3
      .keys('conversations')
      .find((one) => one.includes(id.replaceAll('-', '')) && one.endsWith('/slot-0000000004'));
    return s3.damage('conversations', key ?? '', (body) => body.fill(35, 20));
  }
  if (kind === 'sqlite') {
    const raw = new DatabaseSync(place);
    raw.exec("UPDATE commits SET body = replace(body, 'message 2', 'massage 2')");
    return raw.close();
  }
  if (kind === 'postgres') {
    const client = new Client({ connectionString: postgres.url() });
    await client.connect();
    const schema = new URL(address).searchParams.get('schema') ?? '';
    await client.query(`UPDATE "${schema}".commits SET body = replace(body, 'message 2', 'massage 2')`);
    return client.end();
  }
  const folder = join(place, id.replaceAll('-', ''));
  const wal = join(folder, '.conv/epoch-00000001.wal');
  writeFileSync(wal, readFileSync(wal, 'latin1').replace('message 2', 'massage 2'), 'latin1');
  rmSync(join(folder, 'events'), { recursive: true });
}

async function stateOf(store: OpenedStore['store'], id: string): Promise<StateFields> {
  const reader = await store.read(id);
  if (!reader) throw new Error(`${id} is not there`);
  const { fields } = await projections.readState(reader);
  await reader.close();
  return fields;
}

test.each(pairs)(
  'P4: backup from %s to %s of a damaged conversation and its fork copies a loss that is on record',
  async (from, to) => {
    const setting = { cwd: newFolder(), env };
    const [source, target] = [addressOf(from), addressOf(to)];
    const writer = await openStore(source);
    const id = await written(writer.store, 5);
    await writer.close();
    await damageRecord(source, id);
    const refused = await conv(setting, 'backup', source, '--to', target);
    expect(refused.stdout).toContain('commit 3 of the source cannot be read');
    expect((await conv(setting, 'check', source, '--repair')).exitCode).toBe(0);
    const [left, fork] = [await storeAt(source), randomUUID()];
    await left.fork(id, fork, { patch: { set: { id: fork } } });
    const copied = await conv(setting, 'backup', source, '--to', target);
    expect([copied.stdout, copied.exitCode]).toEqual([expect.not.stringContaining('not copied') as string, 0]);
    const right = await storeAt(target);
    for (const each of [id, fork]) {
      const [before, after] = [await stateOf(left, each), await stateOf(right, each)];
      expect(after).toEqual(before);
      expect(after).toMatchObject({
        damaged: true,
        damage: [{ from: 3, to: 3 }],
        confirmationPolicy: { kind: 'AlwaysConfirm' },
      });
    }
    const checked = await conv(setting, 'check', target);
    expect(checked.stdout.match(/ known {2}log: commit 3 cannot be read/g)).toHaveLength(2);
    expect(checked.exitCode).toBe(0);
    const again = await conv(setting, 'backup', source, '--to', target);
    expect(again.stderr).toContain('2 conversations: 0 commits written');
  },
  90_000,
);

test.each([
  ['postgres', 's3'],
  ['s3', 'postgres'],
] as const)(
  'backup from %s to %s that was killed is gone on with by the same command',
  async (from, to) => {
    const setting = { cwd: newFolder(), env };
    const [source, target] = [addressOf(from), addressOf(to)];
    const store = await storeAt(source);
    const ids: string[] = [];
    for (let at = 0; at < 6; at++) ids.push(await written(store, 10));
    const { file, args, env: clean } = commandOf('backup', source, '--to', target);
    const killed = spawn(file, args, {
      cwd: setting.cwd,
      env: { ...clean, ...env },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    await once(createInterface({ input: killed.stdout }), 'line');
    killed.kill('SIGKILL');
    await once(killed, 'close');
    const owned = async (): Promise<number | undefined> =>
      (await conv(setting, 'backup', source, '--to', target)).exitCode;
    // what the killed process was writing is its own until it counts as gone
    await expect.poll(owned, { timeout: 100_000 }).toBe(0);
    const copy = await storeAt(target);
    for (const id of ids) expect(await commitIds(copy, id)).toEqual(await commitIds(store, id));
  },
  120_000,
);

const kinds: readonly Kind[] = ['fs', 'sqlite', 'postgres', 's3'];

test.each(inCi(kinds, 4))(
  'check, backup and copy of an empty %s store say once that nothing is there, with exit code 3',
  async (kind) => {
    const setting = { cwd: newFolder(), env };
    const address = addressOf(kind);
    if (kind === 'fs') mkdirSync(address.slice('fs:'.length));
    if (kind === 'sqlite') writeFileSync(address.slice('sqlite:'.length), '');
    for (const args of [
      ['check', address],
      ['check', address, '--repair'],
      ['check', address, '--after', randomUUID()],
      ['backup', address, '--to', 'fs:copy'],
    ]) {
      const { stdout, stderr, exitCode } = await conv(setting, ...args);
      expect([stdout, exitCode]).toEqual(['', 3]);
      expect(stderr).toMatch(/^there is no conversation in [^\n]*$/);
    }
    for (const args of [
      ['check', address, 'abcd1234'],
      ['backup', address, 'abcd1234', '--to', 'fs:copy'],
      ['copy', 'abcd1234', '--from', address, '--to', 'fs:copy'],
      ['check', address, randomUUID()],
      ['backup', address, randomUUID(), '--to', 'fs:copy'],
      ['copy', randomUUID(), '--from', address, '--to', 'fs:copy'],
    ]) {
      const { stdout, stderr, exitCode } = await conv(setting, ...args);
      expect([stdout, exitCode]).toEqual(['', 3]);
      expect(stderr).toMatch(/^conv: [^\n]*(no conversation|not in)[^\n]*$/);
    }
  },
);
