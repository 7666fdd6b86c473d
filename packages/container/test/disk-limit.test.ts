import { chmodSync, mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { release } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

import { expect, onTestFinished, test } from 'vitest';

import { leftOf } from '../src/disk-left.ts';
import { DiskLimit } from '../src/disk-limit.ts';
import { EngineClient } from '../src/engine/engine-client.ts';
import { fillingPlatform, watchedFolder } from './watched-folder.ts';

const { signal } = new AbortController();
const MEBI = 2 ** 20;

/** Does `work` as a user without rights. */
async function asNobody(work: () => Promise<void>): Promise<void> {
  process.seteuid?.(65_534);
  try {
    await work();
  } finally {
    process.seteuid?.(0);
  }
}

/** An engine with one volume in a folder that only root enters, of which it says that it takes a TiB, and a limit of a MiB. */
async function newLimit(): Promise<{
  readonly limit: DiskLimit;
  readonly folder: string;
  readonly killed: Promise<void>;
}> {
  const [closed, folder] = [watchedFolder(), watchedFolder()];
  const Mountpoint = join(closed, 'data');
  mkdirSync(Mountpoint);
  const { promise: killed, resolve: onKill } = Promise.withResolvers<void>();
  const server = createServer(({ url = '' }, response) => {
    if (url.includes('/kill')) onKill();
    const volume = { Name: 'one-data', Mountpoint, Labels: { 'conv.folder-bytes': '0' } };
    const used = { Volumes: [{ Name: 'one-data', UsageData: { Size: 2 ** 40 } }] };
    const answer = url.includes('/system/df') ? used : url.includes('/info') ? { KernelVersion: release() } : volume;
    response.end(JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = new EngineClient({ origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  const limits = { disk: MEBI };
  const about = { platform: fillingPlatform(folder), options: { folder, limits }, name: 'one', id: () => 'one' };
  const limit = new DiskLimit({ ...about, engine: () => client });
  onTestFinished(async () => {
    limit.cancel();
    await client.close();
    server.closeAllConnections();
    server.close();
  });
  return { limit, folder, killed };
}

test.skipIf(process.getuid?.() !== 0)(
  'a container starts whatever size the engine tells, which may be the length of sparse files',
  async () => {
    const { limit, folder } = await newLimit();
    chmodSync(folder, 0o777);
    await asNobody(() => limit.check(signal));
    await asNobody(() => expect(limit.check(signal, { bytes: 2 ** 40 })).resolves.toBeUndefined());
    await expect(limit.check(signal, { bytes: 2 ** 40 })).rejects.toMatchObject({ code: 'SERVER_FAILED' });
    await limit.check(signal, { bytes: 2 ** 40, uncounted: 'the rest' });
  },
);

test.skipIf(process.getuid?.() !== 0)(
  'a container with an unreadable folder starts, and the reason of its end names the folder',
  async () => {
    const { limit, folder, killed } = await newLimit();
    await asNobody(() => limit.check(signal));
    await limit.watch(signal);
    await killed;
    expect(limit.reason).toContain(`because not all that it keeps was counted: ${folder} (EACCES)`);
  },
);

test('what is left of a limit is an eighth, and 128 MiB at least, where all is used or not all was counted', () => {
  expect(leftOf(4096 * MEBI, { bytes: 96 * MEBI })).toBe(4000 * MEBI);
  expect(leftOf(4096 * MEBI, { bytes: 2 ** 50 })).toBe(512 * MEBI);
  expect(leftOf(4096 * MEBI, { bytes: 0, uncounted: 'a folder' })).toBe(512 * MEBI);
  expect(leftOf(256 * MEBI, { bytes: 0, uncounted: 'a folder' })).toBe(128 * MEBI);
  expect(leftOf(MEBI, { bytes: 0, uncounted: 'a folder' })).toBe(MEBI);
});
