/** Made at the first use, because it loads the tables of all scripts, a tenth of the time that the package takes to load. */
let graphemes: Intl.Segmenter | undefined;

/** A text in one line: white space and control characters become single spaces. */
export function oneLine(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim();
}

/** The beginning of a text, of whole characters as people see them, in at most `limit` code units. */
export function clipped(text: string, limit: number): string {
  if (text.length <= limit) return text;
  let end = 0;
  graphemes ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  // a character is never this long, and only the beginning is looked at
  for (const { segment, index } of graphemes.segment(text.slice(0, limit + 64))) {
    if (index + segment.length > limit) break;
    end = index + segment.length;
  }
  return text.slice(0, end);
}

/** As {@link clipped}, at the end of a word where one is near, with an ellipsis for what is left out. */
export function shortened(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const beginning = clipped(text, limit - 1);
  const space = beginning.lastIndexOf(' ');
  const words = space > limit / 2 ? beginning.slice(0, space) : beginning;
  return `${words.trimEnd()}…`;
}
