import { PatchError } from './patch-error.ts';

/** Lines that a patch takes out of a file and puts in, at one place. */
export interface Chunk {
  /** The index of the line at which the chunk begins: in the section, later in the file. */
  readonly index: number;
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

/** A section of a patch, from one mark to the next. */
export interface Section {
  /** Lines that the file must have: kept and removed ones. */
  readonly context: readonly string[];
  readonly chunks: readonly Chunk[];
  /** The index of the line of the patch behind the section. */
  readonly end: number;
  /** True if the section is at the end of the file. */
  readonly isLast: boolean;
}

const END_OF_FILE = '*** End of File';

/** Marks at which a section ends. */
export const MARKS: readonly string[] = [
  '*** End Patch',
  '*** Update File:',
  '*** Delete File:',
  '*** Add File:',
  END_OF_FILE,
];

/** Reads the section of a patch that begins at a line. Throws {@link PatchError}. */
export function readSection(lines: readonly string[], start: number): Section {
  const context: string[] = [];
  const chunks: Chunk[] = [];
  let removed: string[] = [];
  let added: string[] = [];
  let mode = 'keep';
  let index = start;
  const closeChunk = (): void => {
    if (removed.length > 0 || added.length > 0) chunks.push({ index: context.length - removed.length, removed, added });
    removed = [];
    added = [];
  };
  for (; index < lines.length; index++) {
    const line = lines[index] ?? '';
    if (line.startsWith('@@') || MARKS.some((mark) => line.startsWith(mark)) || line === '***') break;
    if (line.startsWith('***')) throw new PatchError(`Invalid Line: ${line}`);
    // an empty line of a file may have lost its space
    const sign = line === '' ? ' ' : line[0];
    const before = mode;
    if (sign === '+') mode = 'add';
    else if (sign === '-') mode = 'delete';
    else if (sign === ' ') mode = 'keep';
    else throw new PatchError(`Invalid Line: ${line}`);
    const content = line.slice(1);
    if (mode === 'keep' && before !== mode) closeChunk();
    if (mode === 'add') added.push(content);
    else context.push(content);
    if (mode === 'delete') removed.push(content);
  }
  closeChunk();
  if (lines[index] === END_OF_FILE) return { context, chunks, end: index + 1, isLast: true };
  if (index === start) throw new PatchError(`Nothing in this section - index=${index} ${lines[index]}`);
  return { context, chunks, end: index, isLast: false };
}
