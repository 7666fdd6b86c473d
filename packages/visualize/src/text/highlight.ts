import { checks } from '@conv/core';
import type { Line, Span, Style } from './span.ts';

/** A text to highlight in messages, calls and results. */
export interface Highlight {
  /** A string is matched literally. */
  readonly pattern: RegExp | string;
  /** Default: `yellow`. */
  readonly style?: Style;
}

/** Marks the matches of patterns. Where two overlap, the pattern that comes first in the list wins. */
export type Highlighter = (line: Line) => Line;

/** Makes a highlighter of patterns. */
export function createHighlighter(highlights: readonly (Highlight | RegExp)[]): Highlighter {
  if (!Array.isArray(highlights))
    throw new TypeError(
      checks.wrongValue('new TerminalVisualizer: highlight', `a list such as ${EXAMPLE}`, highlights),
    );
  const rules = highlights.map((entry: Highlight | RegExp, index) => {
    if (!isHighlight(entry))
      throw new TypeError(
        checks.wrongValue(`new TerminalVisualizer: highlight[${index}]`, `an entry as in ${EXAMPLE}`, entry),
      );
    const { pattern, style = 'yellow' } = entry instanceof RegExp ? { pattern: entry } : entry;
    return { pattern: globalPattern(pattern), style };
  });
  return (line) => rules.reduce<Line>((marked, rule) => marked.flatMap((part) => mark(part, rule)), line);
}

const EXAMPLE = "[/error/i, { pattern: 'TODO', style: 'yellow' }]";

function isHighlight(entry: unknown): entry is Highlight | RegExp {
  if (entry instanceof RegExp) return true;
  if (typeof entry !== 'object' || entry === null || !('pattern' in entry)) return false;
  return typeof entry.pattern === 'string' || entry.pattern instanceof RegExp;
}

const marked = new WeakSet<Span>();

function mark(part: Span, rule: { pattern: RegExp; style: Style }): Span[] {
  if (marked.has(part)) return [part];
  const parts: Span[] = [];
  let end = 0;
  for (const match of part.text.matchAll(rule.pattern)) {
    if (match[0] === '') continue;
    if (match.index > end) parts.push({ text: part.text.slice(end, match.index), styles: part.styles });
    const found: Span = { text: match[0], styles: [rule.style, 'bold'] };
    marked.add(found);
    parts.push(found);
    end = match.index + match[0].length;
  }
  if (end === 0) return [part];
  if (end < part.text.length) parts.push({ text: part.text.slice(end), styles: part.styles });
  return parts;
}

function globalPattern(pattern: RegExp | string): RegExp {
  if (typeof pattern !== 'string') return new RegExp(pattern, pattern.flags.replace(/[gy]/g, '') + 'g');
  return new RegExp(pattern.replace(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`), 'g');
}
