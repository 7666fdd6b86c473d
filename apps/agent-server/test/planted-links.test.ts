import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

import type { Sandbox } from '@conv/core/tool';
import { sandbox, sandboxProblem } from '@conv/sandbox';
import { expect, onTestFinished, test } from 'vitest';

import { withoutPlantedLinks } from '../src/start/without-planted-links.ts';
import { newFolder } from './new-folder.ts';

test.runIf((await sandboxProblem()) === undefined)(
  'a program plants no link in the place of a workspace that lies in its own',
  async () => {
    const base = realpathSync(newFolder());
    const [outer, secret] = [join(base, 'outer'), join(base, 'secret')];
    const inner = join(outer, 'inner');
    for (const folder of [inner, secret]) mkdirSync(folder, { recursive: true });
    writeFileSync(join(secret, 'key'), 'the key');
    symlinkSync(outer, join(base, 'configured'));
    const box = withoutPlantedLinks(sandbox(), [join(base, 'configured')]);
    const open = async (workingDirectory: string): Promise<(command: string) => string> => {
      const confinement = await box.open({ conversationId: crypto.randomUUID(), workingDirectory });
      onTestFinished(() => confinement.close());
      return (text) => {
        const plain = {
          command: 'bash',
          args: ['-c', text],
          cwd: workingDirectory,
          env: { PATH: process.env['PATH'] ?? '' },
        };
        const { command, args, cwd, env } = confinement.confine(plain);
        return execFileSync(command, args, { cwd, env: { ...env }, encoding: 'utf8' });
      };
    };
    const [inOuter, inInner] = [await open(outer), await open(inner)];
    expect(inInner('touch mine && ls')).toBe('mine\n');
    inOuter(`mv inner before && ln -s ${secret} inner`);
    expect(() => inInner('cat key; touch planted')).toThrow(`found a link at ${inner} to ${secret}`);
    await expect(open(inner)).rejects.toThrow('expected a folder, found a link');
    expect(existsSync(join(secret, 'planted'))).toBe(false);
    await open(join(base, 'configured'));
    inOuter('rm inner && mv before inner');
    expect(inInner('ls')).toBe('mine\n');
  },
);

test.runIf((await sandboxProblem()) === undefined)(
  'a program that plants a link only while the sandbox is opened gives the next one no other workspace',
  async () => {
    const base = realpathSync(newFolder());
    const [inner, aside, secret] = [join(base, 'inner'), join(base, 'aside'), join(base, 'secret')];
    for (const folder of [inner, secret]) mkdirSync(folder);
    const plain = sandbox();
    const swapping: Sandbox = {
      name: plain.name,
      open: async (session) => {
        renameSync(inner, aside);
        symlinkSync(secret, inner);
        try {
          return await plain.open(session);
        } finally {
          rmSync(inner);
          renameSync(aside, inner);
        }
      },
    };
    const session = { conversationId: crypto.randomUUID(), workingDirectory: inner };
    await expect(withoutPlantedLinks(swapping).open(session)).rejects.toThrow(
      `The sandbox confines nothing to ${inner}: expected a folder, found`,
    );
    // what was opened is closed again, so that the same conversation can have its sandbox
    const confinement = await withoutPlantedLinks(plain).open(session);
    await confinement.close();
  },
);
