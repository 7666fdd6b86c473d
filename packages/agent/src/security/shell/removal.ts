import { UNKNOWN } from '../facts/places.ts';

/** The most steps that a pattern may take: its length times that of the text. */
const MAX_STEPS = 20_000;
const WILD = /[*?[\0]/;
const STAR = '*';
const ANY = '?';

/**
 * Returns what `${x#pattern}` and the like leave of a text: `operator` is one of `#`, `##`, `%` and `%%`. Returns
 * {@link UNKNOWN} if that depends on a part of the text or of the pattern that is not known.
 */
export function withoutMatch(text: string, operator: string, pattern: string): string {
  if (text === UNKNOWN || pattern === '') return text;
  // the name behind the last slash is the same whatever stands in front
  if (operator === '##' && pattern === '*/') return text.slice(text.lastIndexOf('/') + 1);
  if (/[[\]()\\\0]/.test(pattern) || pattern.length * text.length > MAX_STEPS) return UNKNOWN;
  const isFront = operator.startsWith('#');
  const given = isFront ? reversed(text) : text;
  const end = knownEnd(given);
  const left = shortened(given, end, isFront ? reversed(pattern) : pattern, operator.length === 2);
  return left === undefined ? UNKNOWN : isFront ? reversed(left) : left;
}

/** Returns the text without the end that matches; `undefined` if that depends on what is in front of `from`. */
function shortened(text: string, from: number, pattern: string, isLongest: boolean): string | undefined {
  const isWild = WILD.test(pattern);
  const starts = startsOf(text.slice(from), pattern);
  const isKnown = from === 0 || !isWild || !isLongest;
  if (!isKnown) return undefined;
  const start = isLongest ? starts.indexOf(true) : starts.lastIndexOf(true);
  if (start !== -1) return text.slice(0, from + start);
  if (from === 0 || (!isWild && text.length - from >= pattern.length)) return text;
  // a literal without a slash ends within a name that is not known anyway
  return isWild || pattern.includes('/') ? undefined : text;
}

/** Returns, for each place of a text, if all that follows it matches. */
function startsOf(text: string, pattern: string): readonly boolean[] {
  let matches = Array.from({ length: text.length + 1 }, (_, at) => at === text.length);
  for (let sign = pattern.length - 1; sign >= 0; sign -= 1) {
    const one = pattern[sign];
    const last = matches.lastIndexOf(true);
    if (last === -1) break;
    matches = matches.map((_, at) =>
      one === STAR ? at <= last : (one === ANY || one === text[at]) && matches[at + 1] === true,
    );
  }
  return matches;
}

/** Returns where the part of a text begins behind which everything is known. */
function knownEnd(text: string): number {
  for (let at = text.length; at > 0; at -= 1) if (WILD.test(text[at - 1] as string) || text[at - 1] === ']') return at;
  return 0;
}

function reversed(text: string): string {
  return Array.from(text).toReversed().join('');
}
