/** Returns the number of columns that a text takes. */
export type WidthOf = (text: string) => number;

/** Breaks a line between words into rows of at most `width` columns, which `widthOf` measures; a longer word has a row of its own. */
export function breakWords(line: string, width: number, widthOf: WidthOf): readonly string[] {
  const rows: string[] = [];
  let row = '';
  for (const word of line.split(' ')) {
    if (row !== '' && widthOf(row) + 1 + widthOf(word) > width) {
      rows.push(row);
      row = word;
    } else row = row === '' ? word : `${row} ${word}`;
  }
  return [...rows, row];
}

/** Breaks a line into rows of at most `width` columns, wherever that is, so that no character of it is lost. */
export function breakRows(line: string, width: number, widthOf: WidthOf): readonly string[] {
  const rows: string[] = [];
  let row = '';
  let used = 0;
  for (const { segment } of new Intl.Segmenter().segment(line)) {
    const columns = widthOf(segment);
    if (row !== '' && used + columns > width) {
      rows.push(row);
      row = '';
      used = 0;
    }
    row += segment;
    used += columns;
  }
  return [...rows, row];
}
