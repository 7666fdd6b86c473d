import { Refusal } from '../file-editor/refusal.ts';
import { hasCode } from '../file-editor/write-file.ts';

/** Resolves with what `search` resolves with. Rejects {@link Refusal} if the folder to search is none. */
export async function refusedFolder<T>(path: string, search: () => Promise<T>): Promise<T> {
  try {
    return await search();
  } catch (cause) {
    if (!hasCode(cause, 'ENOENT', 'ENOTDIR')) throw cause;
    throw new Refusal(`Search path '${path}' is not a valid directory`, { cause });
  }
}

/** Characters of a pattern: the time of a search grows with them. */
const MOST_CHARACTERS = 1000;

/** Returns what `compile` returns. Throws {@link Refusal} for a pattern that cannot be read. */
export function refusedPattern<T>(pattern: string, compile: (pattern: string) => T): T {
  if (pattern.length > MOST_CHARACTERS)
    throw new Refusal(`Invalid pattern: expected at most ${MOST_CHARACTERS} characters, found ${pattern.length}`);
  try {
    return compile(pattern);
  } catch (cause) {
    throw new Refusal(`Invalid pattern: ${cause instanceof Error ? cause.message : 'it cannot be read'}`, { cause });
  }
}
