import process from 'node:process';

import { type Command, Help } from 'commander';

import { breakRows, breakWords } from '../terminal/break-rows.ts';

/** Help is text of this program, whose characters take a column each, so nothing that measures others is loaded. */
const widthOf = (text: string): number => text.length;

/** Columns below which a term and its description take lines of their own. */
const NARROW = 60;
/** Indent of a description below its term. */
const BELOW = 6;

/** Makes help fit into the terminal, however narrow it is. To be called before commands are added, which take it over. */
export function fitHelp(root: Command): void {
  root
    .configureHelp({
      minWidthToWrap: 20,
      formatItem(term, termWidth, description, helper) {
        if ((helper.helpWidth ?? NARROW) >= NARROW)
          return Help.prototype.formatItem.call(helper, term, termWidth, description, helper);
        return description === '' ? `  ${term}` : `  ${term}\n${' '.repeat(BELOW)}${description}`;
      },
    })
    .configureOutput({ writeOut: (text) => void process.stdout.write(fitted(text, process.stdout.columns ?? 80)) });
}

/** Breaks lines that are longer than `columns`. Continuation lines are aligned with their text. */
function fitted(text: string, columns: number): string {
  return text
    .split('\n')
    .flatMap((line) => rowsOf(line, columns))
    .join('\n');
}

function rowsOf(line: string, columns: number): readonly string[] {
  if (widthOf(line) <= columns) return [line];
  const [, indent = '', term = '', rest = ''] = /^( *)(\S+ {2,})?(.*)$/.exec(line) ?? [];
  const start = indent + term;
  const width = columns - start.length;
  const rows = breakWords(rest, width, widthOf).flatMap((row) => breakRows(row, width, widthOf));
  return rows.map((row, at) => `${at === 0 ? start : ' '.repeat(start.length)}${row}`);
}
