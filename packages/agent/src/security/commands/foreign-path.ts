import type { ShellReader } from '../shell/reader.ts';

/** True if a path leads out of the workspace, and not to where the system keeps its programs. */
export function isForeign(path: string, shell: ShellReader): boolean {
  if (!/^[/~]|^\.\.(?:\/|$)/.test(path)) return false;
  const { kind } = shell.place(path);
  return kind === 'temporary' || kind === 'outside' || kind === 'personal' || kind === 'above';
}
