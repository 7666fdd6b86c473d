import { linkSync, lstatSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { bytesIn } from '../src/disk-use.ts';
import { EngineClient } from '../src/engine/engine-client.ts';

const { signal } = new AbortController();

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'conv-use-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test('the bytes in a folder are its blocks, a file with two names counts once, and no link is followed', async () => {
  const [folder, elsewhere] = [newFolder(), newFolder()];
  expect(await bytesIn(folder, signal)).toBe(0);
  writeFileSync(join(elsewhere, 'large'), Buffer.alloc(2 ** 20, 1));
  symlinkSync(elsewhere, join(folder, 'link'));
  mkdirSync(join(folder, 'one/two'), { recursive: true });
  const files = Array.from({ length: 100 }, (_, at) => join('one/two', `file-${at}`));
  for (const file of files) writeFileSync(join(folder, file), Buffer.alloc(9000, 1));
  linkSync(join(folder, 'one/two/file-0'), join(folder, 'again'));
  const blocks = ['link', 'one', 'one/two', ...files].map((name) => lstatSync(join(folder, name)).blocks);
  expect(await bytesIn(folder, signal)).toBe(512 * blocks.reduce((sum, each) => sum + each, 0));
  expect(await bytesIn(join(folder, 'link'), signal)).toBe(512 * lstatSync(join(elsewhere, 'large')).blocks);
});

test('a count of bytes ends with its signal, and fails for a folder that is not there', async () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'file'), '');
  await expect(bytesIn(folder, AbortSignal.abort(new Error('stop')))).rejects.toThrow('stop');
  await expect(bytesIn(join(folder, 'missing'), signal)).rejects.toMatchObject({ code: 'ENOENT' });
});

test.each([
  ['earlier', { Volumes: [{ Name: 'one', UsageData: { Size: 7 } }, { Name: 'two' }] }],
  ['later', { VolumesUsage: { Items: [{ Name: 'one', UsageData: { Size: 7 } }] } }],
  ['unknown', { Volumes: [{ Name: 'one', UsageData: { Size: -1 } }] }],
  ['other', {}],
])('the bytes of a volume are found in an answer of an engine of %s form', async (form, answer) => {
  const server = createServer((_, response) => response.end(JSON.stringify(answer)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = new EngineClient({ origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  expect(await client.volumeBytes('one')).toBe(form === 'earlier' || form === 'later' ? 7 : undefined);
  expect(await client.volumeBytes('two')).toBeUndefined();
  await client.close();
});
