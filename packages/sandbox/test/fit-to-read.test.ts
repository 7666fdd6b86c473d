import { mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';

import type { Confinement } from '@conv/core/tool';
import { describe, expect, onTestFinished, test } from 'vitest';

import { chooseSandbox, sandbox } from '../src/index.ts';
import { isHere, newFolder, newHome, openIn } from './open-sandbox.ts';

/** Returns the paths that hold the home, directly, from around it and by a link. */
function pathsOfHome(): readonly string[] {
  const home = newHome();
  const link = join(newFolder(), 'link');
  symlinkSync(home, link);
  return [home, dirname(home), link];
}

describe.skipIf(!isHere)('a sandbox', () => {
  test('a sandbox does not open with a path to read that holds the home of the user', async () => {
    for (const path of pathsOfHome())
      await expect(openIn(newFolder(), { read: [path] })).rejects.toThrow(`cannot show ${path} to be read`);
  });

  test('a sandbox does not open with a path to read that is hidden, and opens with one beside it', async () => {
    const folder = newFolder();
    const [hidden, inside, beside] = [join(folder, 'hidden'), join(folder, 'hidden/inside'), join(folder, 'beside')];
    for (const path of [inside, beside]) mkdirSync(path, { recursive: true });
    for (const path of [hidden, inside])
      await expect(openIn(newFolder(), { read: [path], hide: [hidden] })).rejects.toThrow(
        `cannot show ${path} to be read, because it lies in ${hidden}, which is hidden`,
      );
    const confinement = await openIn(newFolder(), { read: [beside, join(folder, 'none')], hide: [hidden] });
    expect(confinement.place(beside, 'read')).toBe(beside);
  });

  test('a sandbox shows a path of one conversation to its programs alone', async () => {
    const [given, directory] = [newFolder(), newFolder()];
    const readOf = async (id: string): Promise<readonly string[]> => (id === 'with' ? [given] : []);
    const box = sandbox({ directory, readOf });
    const open = async (conversationId: string): Promise<Confinement> => {
      const confinement = await box.open({ conversationId, workingDirectory: newFolder() });
      onTestFinished(() => confinement.close());
      return confinement;
    };
    const [shown, hidden] = [await open('with'), await open('without')];
    expect(shown.place(given, 'read')).toBe(given);
    expect(() => hidden.place(given, 'read')).toThrow(`does not let tools read ${given}`);
  });

  test('a sandbox does not open while the paths of its conversation cannot be known, and does later', async () => {
    const reasons = [new Error('the store does not answer')];
    const readOf = async (): Promise<readonly string[]> => {
      const reason = reasons.pop();
      if (reason) throw reason;
      return [];
    };
    const box = sandbox({ directory: newFolder(), readOf });
    const session = { conversationId: 'one', workingDirectory: newFolder() };
    await expect(box.open(session)).rejects.toThrow('the store does not answer');
    await (await box.open(session)).close();
  });

  test('a sandbox opens with a path to read in the home', async () => {
    const path = join(newHome(), 'bin');
    expect((await openIn(newFolder(), { read: [path] })).place(path, 'read')).toBe(path);
  });
});

describe('chooseSandbox', () => {
  test('chooseSandbox rejects a path to read that holds the home or is not there, on every machine', async () => {
    for (const path of pathsOfHome())
      await expect(chooseSandbox('auto', { read: [path] })).rejects.toThrow(`cannot show ${path} to be read`);
    const none = join(newFolder(), 'none');
    await expect(chooseSandbox('auto', { read: [none] })).rejects.toThrow(
      `sandbox: expected a folder or a file to be read, found none at ${none}`,
    );
  });

  test('chooseSandbox looks at no path without a sandbox', async () => {
    expect(await chooseSandbox('off', { read: ['/none'] })).toEqual({});
  });
});
