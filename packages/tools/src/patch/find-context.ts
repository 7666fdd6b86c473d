/** A place in the lines of a file where lines of a patch fit. The fuzz grows with the difference; 0 is exact. */
export interface ContextPlace {
  readonly index: number;
  readonly fuzz: number;
}

/** Ways in which lines may differ, with their fuzz. */
const WAYS: readonly (readonly [number, (line: string) => string])[] = [
  [0, (line) => line],
  [1, (line) => line.trimEnd()],
  [100, (line) => line.trim()],
];

/** Finds lines in a file from a line on, at its end first if they are its last ones; `undefined` if they are not there. */
export function findContext(
  lines: readonly string[],
  context: readonly string[],
  start: number,
  isLast: boolean,
): ContextPlace | undefined {
  if (!isLast) return findFrom(lines, context, start);
  const atEnd = findFrom(lines, context, lines.length - context.length);
  if (atEnd) return atEnd;
  const found = findFrom(lines, context, start);
  return found && { index: found.index, fuzz: found.fuzz + 10_000 };
}

function findFrom(lines: readonly string[], context: readonly string[], start: number): ContextPlace | undefined {
  if (context.length === 0) return { index: start, fuzz: 0 };
  for (const [fuzz, plain] of WAYS) {
    const wanted = context.map(plain);
    for (let index = Math.max(0, start); index + wanted.length <= lines.length; index++)
      if (wanted.every((line, offset) => line === plain(lines[index + offset] ?? ''))) return { index, fuzz };
  }
  return undefined;
}
