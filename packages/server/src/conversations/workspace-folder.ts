import { resolve } from 'node:path';

import { ApiError } from '../http/api-error.ts';
import { AllowedFolders, PathError } from '../machine/allowed-folders.ts';
import { makeFolders } from '../machine/folders.ts';

/** The absolute folder that a conversation is to work in. Rejects {@link ApiError} 422 for one that is not below one of `roots`. */
export async function checkedWorkspace(workingDir: string, roots: readonly string[] = ['/']): Promise<string> {
  try {
    return await new AllowedFolders(roots).check(resolve(workingDir));
  } catch (error) {
    if (error instanceof PathError) throw refused(error.message, error);
    throw refused('it cannot be looked at', error);
  }
}

/** Makes the folder unless it is there. Rejects {@link ApiError} 422 where that is not possible. */
export async function makeWorkspace(folder: string): Promise<void> {
  try {
    await makeFolders(folder);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    throw refused(`the folder cannot be made (${code})`, error);
  }
}

function refused(message: string, cause: unknown): ApiError {
  const loc = ['body', 'workspace', 'working_dir'];
  return new ApiError(422, [{ type: 'value_error', loc, msg: message, input: null }], { cause });
}
