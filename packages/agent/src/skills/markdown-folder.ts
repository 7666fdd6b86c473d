import { readdir, readFile, stat } from 'node:fs/promises';
import { AgentError } from '../base/agent-error.ts';

/** Makes the error for a file that has an impossible value. */
export type InvalidFile = (path: string, what: string, cause?: unknown) => AgentError;

/** Makes the error for a file of a skill. */
export const invalidSkill: InvalidFile = (path, what, cause) =>
  new AgentError('INVALID_SKILL', `skill ${path}: ${what}`, cause === undefined ? {} : { cause });

/** Resolves the names in a folder, sorted; `undefined` if there is no such folder. */
export async function namesIn(folder: string, invalid: InvalidFile): Promise<readonly string[] | undefined> {
  try {
    return (await readdir(folder)).toSorted();
  } catch (error) {
    if (isAbsent(error)) return undefined;
    throw invalid(folder, 'cannot be read', error);
  }
}

/** Resolves the text of a file of at most `limit` bytes. `field` stands in front of the error for a larger one. */
export async function readText(path: string, limit: number, invalid: InvalidFile, field = ''): Promise<string> {
  try {
    const info = await stat(path);
    // a pipe would be waited for
    if (!info.isFile()) throw new Error('expected a file');
    if (info.size <= limit) return await readFile(path, 'utf8');
  } catch (error) {
    throw invalid(path, 'cannot be read', error);
  }
  throw invalid(path, `${field}the file has more than ${limit} bytes`);
}

/** True if the error says that there is no such file or folder. */
export function isAbsent(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ENOENT' || code === 'ENOTDIR';
}
