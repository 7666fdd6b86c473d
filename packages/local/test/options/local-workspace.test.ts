import { existsSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { MemoryStore } from '@conv/core/store';
import { describe, expect, test } from 'vitest';

import { LocalWorkspace, openLocalConversation } from '../../src/index.ts';
import { freshFolder } from '../support/bench.ts';
import { ScriptedAgent } from '../support/scripted-agent.ts';

describe('a local workspace', () => {
  test('a local workspace is made with the folders above it, and is absolute', () => {
    const folder = join(freshFolder(), 'deep/er');
    expect(new LocalWorkspace(folder)).toEqual({ kind: 'LocalWorkspace', workingDir: folder });
    expect(existsSync(folder)).toBe(true);
    expect(new LocalWorkspace(folder).workingDir).toBe(folder);
    expect(new LocalWorkspace('.').workingDir).toBe(process.cwd());
  });

  test.runIf(process.platform === 'linux').each(['/proc/x', '/proc/x/y/z', '/proc/self', '/sys/kernel', '/sys/none'])(
    'P13: a local workspace at %s, where the kernel shows itself, is refused by an error that names it',
    (folder) => {
      const refused = { code: 'INVALID_INPUT', message: expect.stringContaining(folder) };
      expect(() => new LocalWorkspace(folder)).toThrow(expect.objectContaining(refused));
    },
  );

  test(
    'P13: a local workspace behind a link to a place of the kernel is refused, too',
    { skip: process.platform !== 'linux' },
    () => {
      const link = join(freshFolder(), 'link');
      symlinkSync('/proc', link);
      expect(() => new LocalWorkspace(join(link, 'x'))).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
    },
  );

  test('P13: the path of a file is refused, and so is a path with a null character', () => {
    const file = join(freshFolder(), 'file');
    writeFileSync(file, '');
    for (const folder of [file, join(file, 'below'), `${file}\0`])
      expect(() => new LocalWorkspace(folder)).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
  });

  test('P13: an impossible local workspace is refused before a conversation is made', async () => {
    const store = new MemoryStore();
    const file = join(freshFolder(), 'file');
    writeFileSync(file, '');
    const opening = openLocalConversation(
      { storeAt: () => store },
      { store, agent: new ScriptedAgent(), workspace: file },
    );
    await expect(opening).rejects.toMatchObject({ code: 'INVALID_INPUT', message: expect.stringContaining(file) });
    expect((await store.list()).items).toEqual([]);
  });
});
