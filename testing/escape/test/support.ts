import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import type { Confinement, Sandbox } from '@conv/core/tool';
import { sandbox, type SandboxOptions } from '@conv/sandbox';
import { onTestFinished } from 'vitest';

/** A conversation whose programs are confined, with a folder beside its workspace that it must not reach. */
export interface ConfinedConversation {
  readonly sandbox: Sandbox;
  readonly session: { readonly conversationId: string; readonly workingDirectory: string };
  readonly workspace: string;
  readonly outside: string;
  /** The folder for the homes and temporary files of sandboxes. */
  readonly directory: string;
  /** Resolves with the output of a command in the sandbox. */
  readonly run: (command: string) => Promise<string>;
}

/** A folder outside of the folder of temporary files, which is another folder inside. */
export function newFolder(): string {
  const base = join(import.meta.dirname, '../.cache');
  mkdirSync(base, { recursive: true });
  const folder = realpathSync(mkdtempSync(join(base, 'confined-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export function confinedConversation(options: SandboxOptions = {}): ConfinedConversation {
  const folder = newFolder();
  const [workspace, outside, directory] = ['workspace', 'outside', 'sandboxes'].map((name) => join(folder, name));
  if (!workspace || !outside || !directory) throw new Error('expected three folders');
  for (const path of [workspace, outside]) mkdirSync(path);
  const box = sandbox({ directory, ...options });
  const session = { conversationId: crypto.randomUUID(), workingDirectory: workspace };
  const confinements: Promise<Confinement>[] = [];
  onTestFinished(async () => {
    for (const opening of confinements) await (await opening).close();
  });
  const run = async (command: string): Promise<string> => {
    if (confinements.length === 0) confinements.push(box.open(session));
    const plain = { command: 'sh', args: ['-c', command], cwd: workspace, env: process.env };
    const confinement = await confinements[0];
    if (!confinement) throw new Error('expected a confinement');
    const { args, env, cwd, ...start } = confinement.confine(plain);
    return new Promise((resolve) =>
      execFile(start.command, [...args], { cwd, env: { ...env } }, (_, stdout, stderr) =>
        resolve(`${stdout}${stderr}`.trim()),
      ),
    );
  };
  return { sandbox: box, session, workspace, outside, directory, run };
}
