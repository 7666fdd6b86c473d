import { SECRET_MASK, type Masker } from '@conv/core';

import { withLineFeeds } from './line-endings.ts';

/**
 * Returns the text without values of secrets, with the same number of lines: a value of several lines leaves a mask on each line.
 * If a value matches only regardless of line endings, its lines end with line feeds.
 */
export function maskLines(masker: Masker, text: string): string {
  const masked = maskAsIs(masker, text);
  if (!masked.includes('\r\n')) return masked;
  const normal = withLineFeeds(masked);
  const maskedNormal = maskAsIs(masker, normal);
  return maskedNormal === normal ? masked : maskedNormal;
}

function maskAsIs(masker: Masker, text: string): string {
  const masked = masker.mask(text);
  if (masked === text) return text;
  const pieces = masked.split(SECRET_MASK);
  const lastPiece = pieces.length - 1;
  let shown = pieces[0] ?? '';
  // where the piece before ends in the text
  let at = shown.length;
  for (const [index, piece] of pieces.entries()) {
    if (index === 0) continue;
    // The first place where the piece may stand. In a value that holds it too that is too early, and the next value takes
    // the lines that are left.
    const start = index === lastPiece ? text.length - piece.length : text.indexOf(piece, at + 1);
    const lines = text.slice(at, start).split('\n').length;
    shown += Array.from({ length: lines }, () => SECRET_MASK).join('\n') + piece;
    at = start + piece.length;
  }
  return shown;
}
