import { spawnSync } from 'node:child_process';
import {
  chownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';

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
  expect(await bytesIn(folder, signal)).toEqual({ bytes: 0 });
  writeFileSync(join(elsewhere, 'large'), Buffer.alloc(2 ** 20, 1));
  symlinkSync(elsewhere, join(folder, 'link'));
  mkdirSync(join(folder, 'one/two'), { recursive: true });
  const files = Array.from({ length: 100 }, (_, at) => join('one/two', `file-${at}`));
  for (const file of files) writeFileSync(join(folder, file), Buffer.alloc(9000, 1));
  linkSync(join(folder, 'one/two/file-0'), join(folder, 'again'));
  const blocks = ['link', 'one', 'one/two', ...files].map((name) => lstatSync(join(folder, name)).blocks);
  expect(await bytesIn(folder, signal)).toEqual({ bytes: 512 * blocks.reduce((sum, each) => sum + each, 0) });
  expect(await bytesIn(join(folder, 'link'), signal)).toEqual({
    bytes: 512 * lstatSync(join(elsewhere, 'large')).blocks,
  });
});

test('a count of bytes ends with its signal, and fails for a folder that is not there', async () => {
  const folder = newFolder();
  writeFileSync(join(folder, 'file'), '');
  await expect(bytesIn(folder, AbortSignal.abort(new Error('stop')))).rejects.toThrow('stop');
  await expect(bytesIn(join(folder, 'missing'), signal)).rejects.toMatchObject({ code: 'ENOENT' });
});

test('a count has what is behind names that are no text', async () => {
  const folder = newFolder();
  const odd = Buffer.concat([Buffer.from(`${folder}/`), Buffer.from([0xff, 0xfe])]);
  mkdirSync(odd);
  const file = Buffer.concat([odd, Buffer.from('/'), Buffer.from([0xff])]);
  writeFileSync(file, Buffer.alloc(2 ** 20, 1));
  expect(await bytesIn(folder, signal)).toEqual({ bytes: 512 * (lstatSync(odd).blocks + lstatSync(file).blocks) });
});

test.runIf(process.platform === 'linux')('a count goes on below a path that is longer than systems take', async () => {
  const folder = newFolder();
  // Node.js removes no such paths
  onTestFinished(() => void spawnSync('rm', ['-rf', folder]));
  let blocks = 0;
  let innermost: string | undefined;
  // each folder gets those before it, so that no path is long
  for (let depth = 0; depth < 90; depth++) {
    const outer = join(folder, `${depth}${'x'.repeat(200)}`);
    mkdirSync(outer);
    writeFileSync(join(outer, 'file'), Buffer.alloc(9000, 1));
    blocks += lstatSync(join(outer, 'file')).blocks;
    if (innermost !== undefined) renameSync(innermost, join(outer, 'in'.repeat(100)));
    blocks += lstatSync(outer).blocks;
    innermost = outer;
  }
  expect(await bytesIn(folder, signal)).toEqual({ bytes: 512 * blocks });
});

test('a count ends behind its number of files, and says so', async () => {
  const folder = newFolder();
  for (let at = 0; at < 200; at++) writeFileSync(join(folder, `file-${at}`), Buffer.alloc(9000, 1));
  const each = 512 * lstatSync(join(folder, 'file-0')).blocks;
  expect(await bytesIn(folder, signal, 200)).toEqual({ bytes: 200 * each });
  const uncounted = 'what is behind the first 150 files and folders';
  expect(await bytesIn(folder, signal, 150)).toEqual({ bytes: 150 * each, uncounted });
});

/** Runs a program as a root that may not enter the folders of others. */
const BOUND = ['--bounding-set=-dac_override,-dac_read_search', '--inh-caps=-all'];

test.skipIf(spawnSync('setpriv', [...BOUND, 'true']).status !== 0)(
  'a count leaves out what this process may not read, and names it',
  () => {
    const folder = newFolder();
    for (const name of ['closed', 'open']) {
      mkdirSync(join(folder, name), { mode: 0o700 });
      writeFileSync(join(folder, name, 'file'), Buffer.alloc(9000, 1));
    }
    chownSync(join(folder, 'closed'), 65_534, 65_534);
    const { href } = pathToFileURL(join(import.meta.dirname, '../src/disk-use.ts'));
    const script = `import { bytesIn } from '${href}';
      for (const folder of ['${folder}', '${folder}/closed'])
        console.log(JSON.stringify(await bytesIn(folder, new AbortController().signal)));`;
    const program = [process.execPath, '--no-warnings', '--input-type=module', '--eval', script];
    const { stdout, stderr } = spawnSync('setpriv', [...BOUND, ...program], { encoding: 'utf8' });
    expect(stderr).toBe('');
    const blocks = ['closed', 'open', 'open/file'].map((name) => lstatSync(join(folder, name)).blocks);
    const uncounted = `${folder}/closed (EACCES)`;
    const found = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    expect(found).toEqual([
      { bytes: 512 * blocks.reduce((sum, each) => sum + each, 0), uncounted },
      { bytes: 0, uncounted },
    ]);
  },
);

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
