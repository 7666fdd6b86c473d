/** A pair of a state and an event, as the table of a state machine states it. */
export interface TransitionCell {
  readonly state: string;
  readonly event: string;
  /** The next state; `undefined` if the pair is illegal. */
  readonly next: string | undefined;
  /** Names of the effects, in order. */
  readonly effects: readonly string[];
}

/** Parts two columns of a table, and crosses the line below the states. */
const [BAR, CROSS] = ['│', '┼'];

/**
 * Reads the table of transitions from the head of a source file, so that a test can hold the code to it. The first row names the
 * states and the first column the events. A cell is `×` for an illegal pair, or the next state and then the effects,
 * parted by commas; `–` means the same state. Throws `TypeError` for a source without a table and for a row of another width.
 */
export function readTransitionTable(source: string): readonly TransitionCell[] {
  const lines = source.split('\n');
  const rule = lines.findIndex((line) => line.includes(CROSS));
  const end = lines.findIndex((line, at) => at > rule && !line.includes(BAR));
  if (rule < 1 || end - rule < 2) throw new TypeError('the source has no table of transitions');
  const [states, ...rows] = [lines[rule - 1] ?? '', ...lines.slice(rule + 1, end)].map(columns) as [
    string[],
    ...string[][],
  ];
  return rows.flatMap(([event, ...cells]) => {
    if (event === undefined || cells.length !== states.length - 1)
      throw new TypeError(`the row ${event} has ${cells.length} cells for ${states.length - 1} states`);
    return cells.map((cell, column) => readCell(states[column + 1] ?? '', event, cell));
  });
}

function columns(line: string): string[] {
  return line
    .replace(/^\s*\*/, '')
    .split(BAR)
    .map((cell) => cell.trim());
}

function readCell(state: string, event: string, cell: string): TransitionCell {
  if (cell === '×') return { state, event, next: undefined, effects: [] };
  const [next, ...effects] = cell.split(/,\s*/);
  return { state, event, next: next === '–' ? state : next, effects };
}
