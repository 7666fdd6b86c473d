import { ApiError } from '../http/api-error.ts';
import { type PathErrorCode, PathError } from '../workspace/allowed-folders.ts';
import { TooManyCommandsError, UnusableCommandError } from '../workspace/bash-service.ts';
import { GitError } from '../workspace/run-git.ts';

const PATHS: Readonly<Record<PathErrorCode, number>> = { NOT_ABSOLUTE: 400, INVALID: 400, OUTSIDE: 403 };

/** Answers to errors of the file system, as status and text. */
const FILES: Readonly<Record<string, readonly [number, string]>> = {
  ENOENT: [404, 'File not found'],
  ENOTDIR: [400, 'Part of the path is not a directory'],
  EISDIR: [400, 'Path is not a file'],
  EACCES: [403, 'Permission denied'],
  EPERM: [403, 'Permission denied'],
  EROFS: [403, 'The file system is read-only'],
  ENAMETOOLONG: [400, 'Path is too long'],
  ELOOP: [400, 'Path has too many symbolic links'],
  ENOSPC: [507, 'No space left on the device'],
};

/** Runs work on the machine's files; refusals become {@link ApiError}. `missing`: the text for a missing file. */
export async function refusing<T>(work: () => Promise<T>, missing?: string): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw toRefusal(error, missing);
  }
}

function toRefusal(error: unknown, missing: string | undefined): unknown {
  if (error instanceof PathError) return new ApiError(PATHS[error.code], error.message, { cause: error });
  if (error instanceof UnusableCommandError) return new ApiError(400, error.message, { cause: error });
  if (error instanceof GitError) return new ApiError(400, error.message, { cause: error });
  if (error instanceof TooManyCommandsError) return new ApiError(503, error.message, { cause: error });
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const known = Object.hasOwn(FILES, code) ? FILES[code] : undefined;
  if (!known) return error;
  const [status, words] = known;
  return new ApiError(status, (status === 404 ? missing : undefined) ?? words, { cause: error });
}
