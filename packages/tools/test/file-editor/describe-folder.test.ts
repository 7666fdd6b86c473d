import { type Stats, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { expect, test } from 'vitest';

import { describeFolder } from '../../src/file-editor/describe-folder.ts';
import { temporaryFolder } from '../open-tool.ts';

/** Makes a folder with this many files. */
function folderOf(count: number): string {
  const folder = temporaryFolder();
  for (let index = 0; index < count; index++) writeFileSync(join(folder, String(index)), '');
  return folder;
}

test('a folder with many entries is looked at in parts, so that few folders are open at once', async () => {
  const folder = folderOf(200);
  let open = 0;
  let most = 0;
  const about = async (name: string): Promise<Stats> => {
    open += 1;
    most = Math.max(most, open);
    await Promise.resolve();
    open -= 1;
    return statSync(join(folder, name));
  };
  expect(await describeFolder(folder, about)).toHaveLength(200);
  expect(most).toBeLessThanOrEqual(64);
});

test('an entry that is gone is left out, and a full table of open files is an error', async () => {
  const folder = folderOf(1);
  const failing = (code: string) => (): Promise<Stats> => Promise.reject(Object.assign(new Error(code), { code }));
  expect(await describeFolder(folder, failing('ENOENT'))).toEqual([]);
  await expect(describeFolder(folder, failing('EMFILE'))).rejects.toThrow('EMFILE');
});
