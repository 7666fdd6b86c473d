import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { systemProgram } from './system-program.ts';

/** The settings that programs get. Others hold keys and helpers, or name programs and files that are not there. */
const COPIED = '^(user\\.(name|email)|init\\.defaultbranch)$';
/** Milliseconds in which git must have answered. */
const LONGEST = 10_000;

/**
 * Writes the name and the address with which this user commits in a workspace into the settings of git in a home. Without git or a name it
 * writes nothing.
 */
export async function copyGitIdentity(workspace: string, home: string): Promise<void> {
  const asking = ['config', '--global', '--includes', '-z', '--get-regexp', COPIED];
  // not that of PATH, in which a folder of the workspace may stand
  const git = systemProgram('git');
  if (git === undefined) return;
  const { stdout } = await promisify(execFile)(git, asking, { cwd: workspace, timeout: LONGEST }).catch(() => ({
    stdout: '',
  }));
  const settings = new Map(
    stdout
      .split('\0')
      .filter(Boolean)
      .map((entry) => {
        const at = entry.indexOf('\n');
        return [entry.slice(0, at), entry.slice(at + 1)] as const;
      }),
  );
  const lines = [...settings].map(([name, value]) => {
    const [section = '', key = ''] = name.split('.');
    return `[${section}]\n\t${key} = "${value.replaceAll(/["\\]/g, String.raw`\$&`).replaceAll('\n', ' ')}"\n`;
  });
  if (lines.length > 0) await writeFile(join(home, '.gitconfig'), lines.join(''));
}
