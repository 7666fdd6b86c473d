import stringWidth from 'string-width';

/** Breaks a line between words into rows of at most `width` columns; a longer word has a row of its own. */
export function wrapWords(line: string, width: number): readonly string[] {
  const rows: string[] = [];
  let row = '';
  for (const word of line.split(' ')) {
    if (row !== '' && stringWidth(row) + 1 + stringWidth(word) > width) {
      rows.push(row);
      row = word;
    } else row = row === '' ? word : `${row} ${word}`;
  }
  return [...rows, row];
}

/** Breaks a line into rows of at most `width` columns, wherever that is, so that no character of it is lost. */
export function cutRows(line: string, width: number): readonly string[] {
  const rows: string[] = [];
  let row = '';
  let used = 0;
  for (const { segment } of new Intl.Segmenter().segment(line)) {
    const columns = stringWidth(segment);
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

/** Returns the start of a line that fits into `width` columns, with `…` where something was cut off. */
export function fitted(line: string, width: number): string {
  if (stringWidth(line) <= width) return line;
  let cut = '';
  for (const { segment } of new Intl.Segmenter().segment(line)) {
    if (stringWidth(cut + segment) > width - 1) break;
    cut += segment;
  }
  return `${cut}…`;
}
