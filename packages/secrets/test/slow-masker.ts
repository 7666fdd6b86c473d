import { SECRET_MASK } from '@conv/core';

/** The meaning of masking, as plainly as possible: every occurrence of every pattern, one after the other. */
export function slowMask(text: string, patterns: readonly string[]): string {
  const pieces = text.split(SECRET_MASK);
  return pieces.map((piece, index) => maskPiece(piece, patterns, index === pieces.length - 1)).join(SECRET_MASK);
}

function maskPiece(piece: string, patterns: readonly string[], last: boolean): string {
  const places = [...piece.split('').keys()].filter((index) => piece[index] !== '\n' && piece[index] !== '\r');
  const units = places.map((place) => piece[place]).join('');
  const found = merged(occurrences(units, patterns, last));
  let result = '';
  let shown = 0;
  for (const [start, end] of found) {
    result += piece.slice(shown, places[start]) + SECRET_MASK;
    shown = places[end - 1]! + 1;
  }
  return result + piece.slice(shown);
}

function occurrences(units: string, patterns: readonly string[], last: boolean): [number, number][] {
  const found: [number, number][] = [];
  for (const pattern of patterns) {
    for (let start = units.indexOf(pattern); start >= 0; start = units.indexOf(pattern, start + 1)) {
      found.push([start, start + pattern.length]);
    }
    for (let length = 8; last && length < pattern.length && length <= units.length; length += 1) {
      if (units.endsWith(pattern.slice(0, length))) found.push([units.length - length, units.length]);
    }
  }
  return found.sort(([left], [right]) => left - right);
}

/** Merges the spans that overlap. */
function merged(sorted: readonly [number, number][]): [number, number][] {
  const result: [number, number][] = [];
  for (const [start, end] of sorted) {
    const before = result.at(-1);
    if (before !== undefined && start < before[1]) before[1] = Math.max(before[1], end);
    else result.push([start, end]);
  }
  return result;
}
