import { structuredPatch } from 'diff';
import type { FileChange } from './call-content.ts';

/** A line of a diff, with its line numbers if they are known. */
export interface DiffLine {
  readonly sign: '+' | '-' | ' ';
  readonly text: string;
  /** The number in the file before; `undefined` for an added line, and where only a part of the file is known. */
  readonly before?: number;
  readonly after?: number;
}

/** The difference that a change makes. */
export interface FileDiff {
  readonly added: number;
  readonly removed: number;
  /** Groups of near lines, in the order of the file; `undefined` when the texts differ too much for a diff. */
  readonly hunks: readonly (readonly DiffLine[])[] | undefined;
}

const CONTEXT = 2;
/** Maximum number of changed lines, because finding the shortest diff of more takes noticeably long. */
const MOST_CHANGES = 1000;

/** Returns the difference between the texts of a change. */
export function fileDiff({ before, after, whole }: FileChange): FileDiff {
  const patch = structuredPatch('', '', before, after, '', '', { context: CONTEXT, maxEditLength: MOST_CHANGES });
  if (patch === undefined)
    return { added: after.split('\n').length, removed: before.split('\n').length, hunks: undefined };
  const hunks = patch.hunks.map(({ lines, oldStart, newStart }) => {
    let [old, fresh] = [oldStart, newStart];
    return lines.flatMap((line): DiffLine[] => {
      const sign = line[0];
      if (sign !== '+' && sign !== '-' && sign !== ' ') return [];
      const numbers = whole
        ? { ...(sign === '+' ? {} : { before: old }), ...(sign === '-' ? {} : { after: fresh }) }
        : {};
      if (sign !== '+') old += 1;
      if (sign !== '-') fresh += 1;
      return [{ sign, text: line.slice(1), ...numbers }];
    });
  });
  const count = (sign: DiffLine['sign']): number => hunks.flat().filter((line) => line.sign === sign).length;
  return { added: count('+'), removed: count('-'), hunks };
}
