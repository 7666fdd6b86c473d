import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, onTestFinished, test } from 'vitest';

import { MountTable } from '../../src/system/index.ts';

test.runIf(process.platform === 'linux')(
  'the list of mounts names the file system behind a path, and nothing where the mount does not say it',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'conv-mount-table-'));
    const file = openSync(folder, 'r');
    onTestFinished(() => {
      closeSync(file);
      rmSync(folder, { recursive: true });
    });
    const [, id] = /mnt_id:\s*(\d+)/.exec(readFileSync(`/proc/self/fdinfo/${file}`, 'utf8')) ?? [];
    const listed = (root: string, point: string, type = 'ext4'): string | undefined =>
      new MountTable(
        `1 0 0:1 / / rw - ext4 /dev/x rw\n${id} 1 8:2 ${root} ${point} rw shared:1 - ${type} /dev/y rw\n`,
      ).listed(file, '/home/ann and/work');
    expect(listed('/', '/')).toBe(String.raw`8:2 /home/ann\040and/work`);
    expect(listed('/@home', '/home')).toBe(String.raw`8:2 /@home/ann\040and/work`);
    expect(listed('/volumes/1', String.raw`/home/ann\040and/work`)).toBe('8:2 /volumes/1');
    expect(listed('/', '/home', 'nfs4')).toBeUndefined();
    expect(listed('/', '/elsewhere')).toBeUndefined();
    expect(new MountTable('').listed(file, '/home')).toBeUndefined();
  },
);
