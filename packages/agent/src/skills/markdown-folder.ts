import { constants } from 'node:fs';
import { type FileHandle, open, readdir, readlink, realpath } from 'node:fs/promises';
import { AgentError, isAgentError } from '../base/agent-error.ts';
import { liesIn } from '../base/real-folder.ts';

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
    throw invalid(folder, 'cannot be read; check its permissions', error);
  }
}

/** Rules for {@link readText}. */
interface TextRules {
  /** Stands in front of the error for a file that is too large. */
  readonly field?: string;
  /** The real folder that the file must lie in, also behind links. Default: any place. */
  readonly root?: string | undefined;
}

/** Opens a pipe without waiting for it; it is refused then. */
const WITHOUT_WAITING = constants.O_RDONLY | constants.O_NONBLOCK;

/**
 * Resolves the text of a file of at most `limit` bytes. Checks the file that it has opened, because a program in a project may
 * put a link or a pipe in the place of a file at any time. Otherwise the program would choose files of this machine that the model gets.
 */
export async function readText(
  path: string,
  limit: number,
  invalid: InvalidFile,
  { field = '', root }: TextRules = {},
): Promise<string> {
  let file: FileHandle | undefined;
  try {
    file = await open(path, WITHOUT_WAITING);
    if (root !== undefined) await refuseOutside(file, path, root, invalid);
    const about = await file.stat();
    if (!about.isFile()) throw invalid(path, 'cannot be read: expected a file, found something else');
    if (about.size > limit) throw invalid(path, `${field}the file has more than ${limit} bytes; shorten it`);
    return await file.readFile('utf8');
  } catch (error) {
    throw isAgentError(error) ? error : invalid(path, 'cannot be read; check its permissions', error);
  } finally {
    await file?.close();
  }
}

/** Rejects for an opened file outside of a folder. The kernel tells where it is; a system without `/proc` is asked for the path again. */
async function refuseOutside(file: FileHandle, path: string, root: string, invalid: InvalidFile): Promise<void> {
  const real = await readlink(`/proc/self/fd/${file.fd}`).catch(() => realpath(path));
  if (liesIn(real, root)) return;
  throw invalid(path, `expected a file in ${root}, found a link to ${real}; put the file itself into the project`);
}

/** True if the error says that there is no such file or folder. */
export function isAbsent(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ENOENT' || code === 'ENOTDIR';
}
