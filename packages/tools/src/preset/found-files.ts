import type { FoundFile } from './walk.ts';

/** Files of one answer. */
const MOST_FILES = 100;

/** The newest of the files that a search found. */
export interface Newest {
  readonly paths: readonly string[];
  readonly truncated: boolean;
}

/** Returns the paths of files, the last changed ones first, as many as one answer may have. */
export function newestOf(found: readonly FoundFile[]): Newest {
  const sorted = found.toSorted((one, other) => other.modified - one.modified || (one.path < other.path ? -1 : 1));
  return { paths: sorted.slice(0, MOST_FILES).map(({ path }) => path), truncated: found.length > MOST_FILES };
}

/** Returns what the model reads about files that were found. `what` completes "matching" or "containing". */
export function foundText(
  { paths, truncated }: Newest,
  { what, folder, isWhole }: { readonly what: string; readonly folder: string; readonly isWhole: boolean },
): string {
  const notes = [
    ...(truncated ? [`[Results truncated to first ${MOST_FILES} files. Consider using a more specific pattern.]`] : []),
    ...(isWhole ? [] : ['[Not each folder was looked at, because there are too many files: give a folder in path.]']),
  ];
  const head =
    paths.length === 0
      ? `No files found ${what} in directory '${folder}'`
      : `Found ${paths.length} file(s) ${what} in '${folder}'`;
  return [paths.length === 0 ? head : `${head}:\n${paths.join('\n')}`, ...notes].join('\n\n');
}
