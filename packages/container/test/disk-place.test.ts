import { chmodSync, mkdirSync, mkdtempSync, rmSync, statfsSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';

import { expect, onTestFinished, test } from 'vitest';

import { diskPlace } from '../src/disk-place.ts';

/** A user without rights. */
const NOBODY = 65_534;

/** Makes a folder as the volume of an engine that root runs: in a folder that others do not enter. */
function newVolume(): string {
  const folder = mkdtempSync(join(tmpdir(), 'conv-place-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const volume = join(folder, 'volume');
  mkdirSync(volume);
  chmodSync(folder, 0o700);
  return volume;
}

/** Does `work` as a user without rights. */
async function asNobody<Result>(work: () => Promise<Result>): Promise<Result> {
  process.seteuid?.(NOBODY);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}

/** Returns where the disk of a folder is mounted. */
function mountOf(folder: string): string {
  const above = dirname(folder);
  return above === folder || statSync(above).dev !== statSync(folder).dev ? folder : mountOf(above);
}

test('a disk is looked at in the folder itself where this process may', async () => {
  const volume = newVolume();
  expect(await diskPlace(volume, () => Promise.reject(new Error('is not asked')))).toBe(volume);
});

test.skipIf(process.getuid?.() !== 0)(
  'a disk is looked at where it is mounted by a user who may not enter a folder of the engine',
  async () => {
    const volume = newVolume();
    const place = await asNobody(() => diskPlace(volume, async () => true));
    expect(place).toBe(mountOf(volume));
    expect(statfsSync(place)).toMatchObject({ type: statfsSync(volume).type, blocks: statfsSync(volume).blocks });
  },
);

test.skipIf(process.getuid?.() !== 0)(
  'a disk that is closed and in another machine, or not there, is refused by name',
  async () => {
    const volume = newVolume();
    const refusal = (path: string, code: string): RegExp =>
      new RegExp(
        `^\\[UNSUPPORTED\\] ContainerWorkspace: limits: disk: expected a disk that this program can look at, found none at ${path} \\(.*${code}`,
      );
    await expect(asNobody(() => diskPlace(volume, async () => false))).rejects.toThrow(refusal(volume, 'EACCES'));
    await expect(diskPlace(`${volume}/missing`, async () => true)).rejects.toThrow(
      refusal(`${volume}/missing`, 'ENOENT'),
    );
  },
);
