/** A place in a text, from `start` to before `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Returns every place where `wanted` occurs, overlaps included, regardless of line endings. */
export function findIgnoringLineEndings(text: string, wanted: string): readonly Span[] {
  const normal = withLineFeeds(text);
  const needle = withLineFeeds(wanted);
  const toRaw = rawPositions(text);
  const spans: Span[] = [];
  for (let at = normal.indexOf(needle); at >= 0; at = normal.indexOf(needle, at + 1))
    spans.push({ start: toRaw(at), end: toRaw(at + needle.length) });
  return spans;
}

/** Returns the text with the line ending that the host text uses at `near`, or else most often. */
export function withLineEndingsOf(host: string, near: Span, text: string): string {
  const ending = firstEnding(host.slice(near.start, near.end)) ?? mainEnding(host);
  const normal = withLineFeeds(text);
  return ending === '\r\n' ? normal.replaceAll('\n', '\r\n') : normal;
}

/** Returns the text with every line ending as a single line feed. */
export function withLineFeeds(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

function firstEnding(text: string): string | undefined {
  return /\r\n|\n/.exec(text)?.[0];
}

function mainEnding(text: string): string {
  const pairs = text.match(/\r\n/g)?.length ?? 0;
  const feeds = text.match(/\n/g)?.length ?? 0;
  return pairs * 2 > feeds ? '\r\n' : '\n';
}

/** Maps a position in the text with line feeds to the same position in the text itself. */
function rawPositions(text: string): (position: number) => number {
  const pairs: number[] = [];
  for (let at = text.indexOf('\r\n'); at >= 0; at = text.indexOf('\r\n', at + 2)) pairs.push(at - pairs.length);
  return (position) => {
    // how many carriage returns were dropped before this position
    let low = 0;
    let high = pairs.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((pairs[middle] ?? 0) < position) low = middle + 1;
      else high = middle;
    }
    return position + low;
  };
}
