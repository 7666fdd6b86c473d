import { SECRET_MASK } from '@conv/core';
import { addSpan, type PatternAutomaton, type Walk } from './automaton.ts';
import { withoutBreaks } from './unfit-value.ts';

/** The mark at the place where a program cut a text, such as a title, with the characters that may come before it. */
const CUT = /[\s[(<]{0,4}(?:…|\.{3})/gu;

/** A possible beginning of a cut mark, which the next piece of the text completes. */
const MAYBE_CUT = /[\s[(<]{0,4}\.{0,2}$/u;

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

// Scanning never waits, so that all scans can share it.
const units = new Uint16Array(16_384);

/**
 * A text on its way through an automaton (P9). The automaton does not see line breaks, so that a value is found however it
 * is wrapped; a break between two masked units is masked with them.
 *
 * Positions count the units that the automaton saw; offsets count characters of `#held`, line breaks among them.
 *
 *     text       … shown or masked │ under the last mask │ may become part of a match │ perhaps a cut mark
 *     position                  #origin              #masked                      #walk.at
 *     kept in                      └────────────────── #held ────────────────────────┘└────── #mark ──────┘
 *
 * Invariants, after each `write`:
 * - A match that is still to come starts at `#origin` or after it, because `#held` begins with the longest beginning of an incomplete
 *   pattern that the text ends with. So everything in front of `#origin` is final.
 * - A character is given out once, or is masked. `#masked` is the end of the last mask; it may lie after `#origin`.
 * - A span that overlaps the last mask lengthens it without a second mask in the text, whatever the pieces of the text are.
 */
export class MaskScan {
  readonly automaton: PatternAutomaton;
  readonly #walk: Walk;
  /** The text that may still become part of a match. */
  #held = '';
  /** The position of the first unit in `#held`. */
  #origin = 0;
  /** The end of the last mask; a mask that overlaps it belongs to it. */
  #masked = 0;
  /** The end of the text that was shown before this automaton knew of it. */
  #shownBefore = 0;
  /** For each line break in `#held` the position of the unit that follows it. */
  #breaks: number[] = [];
  /** A possible cut mark at the end of the text, after the beginning of a value: the next piece tells. */
  #mark = '';

  constructor(automaton: PatternAutomaton) {
    this.automaton = automaton;
    this.#walk = automaton.start();
  }

  /**
   * Continues the text from its present place with another automaton. `before` is the text in front of that place,
   * which is shown already: if a value begins there, the rest of it is masked.
   */
  continueWith(automaton: PatternAutomaton, before: string): MaskScan {
    const next = MaskScan.behind(automaton, before);
    // the part of `#held` under the last mask stays masked: positions of `next` begin with `before`, and its mask ends there
    next.#masked += Math.max(0, this.#masked - this.#origin);
    next.#see(this.#held);
    next.#mark = this.#mark;
    return next;
  }

  /** Starts a scan of the text after `before`, which is shown already. */
  static behind(automaton: PatternAutomaton, before: string): MaskScan {
    const scan = new MaskScan(automaton);
    scan.#see(before);
    // nothing of `before` is given out again; a span that crosses its end is masked from there on
    scan.#masked = scan.#shownBefore = scan.#walk.at;
    return scan;
  }

  /** The length of the text so far that is neither shown nor masked. */
  get held(): number {
    return this.#held.length - this.#shown() + this.#mark.length;
  }

  /** Takes a piece of text, and appends to `out` all text that no later piece can change. */
  write(piece: string, out: string[]): void {
    const text = this.#mark + piece;
    this.#mark = '';
    let seen = 0;
    for (const { index } of text.includes('…') || text.includes('...') ? text.matchAll(CUT) : []) {
      this.#see(text.slice(seen, index));
      // look before the automaton reads the cut mark, because after that its nodes no longer show the beginning of a value
      this.#maskCut();
      seen = index;
    }
    const [mark = ''] = MAYBE_CUT.exec(text.slice(Math.max(seen, text.length - 6))) ?? [];
    this.#see(text.slice(seen, text.length - mark.length));
    // kept back only after the beginning of a value, so that no other text is held up
    if (mark !== '' && this.#cutLength() > 0) this.#mark = mark;
    else this.#see(mark);
    this.#settle(this.#walk.at - this.automaton.pending(this.#walk), out);
  }

  /** Ends all possible matches: no later text can belong to a value in the text so far. */
  border(out: string[]): void {
    this.#see(this.#mark);
    this.#mark = '';
    this.#settle(this.#walk.at, out);
    // back to the roots: a match that would cross the border cannot be completed
    this.#walk.nodes.fill(0);
  }

  /** Ends the text. Its end may have cut off a value, whose beginning is then masked. */
  end(out: string[]): void {
    this.#see(this.#mark);
    this.#mark = '';
    this.#maskCut();
    this.border(out);
  }

  /** Masks the beginning of a value at the end of the text so far, because a cut in the text cut the value too. */
  #maskCut(): void {
    const { at, spans } = this.#walk;
    const cut = this.#cutLength();
    if (cut > 0) addSpan(spans, at - cut, at);
  }

  /** Returns the length of the beginning of a value at the end of the text so far, in units. */
  #cutLength(): number {
    const { at } = this.#walk;
    return this.automaton.cutOff(this.#walk, (length) => withoutBreaks(this.#held.slice(this.#offsetOf(at - length))));
  }

  /** Takes a text into `#held`, and its units through the automaton; matches become spans. */
  #see(text: string): void {
    this.#held += text;
    for (let start = 0; start < text.length; start += units.length) {
      const count = this.#copyUnits(text, start, Math.min(text.length, start + units.length));
      this.automaton.advance(this.#walk, units, count);
    }
  }

  /** Copies units into the shared array, without line breaks, whose places are noted. Returns the number of units. */
  #copyUnits(text: string, start: number, end: number): number {
    let count = 0;
    for (let index = start; index < end; index += 1) {
      const unit = text.charCodeAt(index);
      if (unit === LINE_FEED || unit === CARRIAGE_RETURN) {
        this.#breaks.push(this.#walk.at + count);
      } else {
        units[count] = unit;
        count += 1;
      }
    }
    return count;
  }

  /** Appends the text up to `safe` to `out`. Every later match starts at `safe` or after it. */
  #settle(safe: number, out: string[]): void {
    const { spans } = this.#walk;
    const held = this.#held;
    let settled = 0;
    // a span that starts after `safe` may still be joined with a later match that starts before it
    for (; settled < spans.length && spans[settled]! <= safe; settled += 2) {
      const [start, end] = [spans[settled]!, spans[settled + 1]!];
      // three cases: the span lies behind the last mask; it begins in text that was shown before its value was known, so that only its
      // rest can be masked; or it overlaps the last mask, which it lengthens
      if (start >= this.#masked) {
        out.push(held.slice(this.#shown(), this.#offsetOf(start)), SECRET_MASK);
        this.#masked = end;
      } else if (end > this.#masked && this.#masked === this.#shownBefore) out.push(SECRET_MASK);
      this.#masked = Math.max(this.#masked, end);
    }
    spans.splice(0, settled);
    // the text between the last mask and `safe` is final too; from `safe` on everything may still belong to a match
    const rest = this.#offsetOf(safe);
    if (this.#shown() < rest) out.push(held.slice(this.#shown(), rest));
    this.#held = held.slice(rest);
    this.#breaks = this.#breaks.slice(countBelow(this.#breaks, safe + 1));
    this.#origin = safe;
  }

  /** The offset in `#held` up to which its text is shown or masked. A line break right after a mask is not masked with it. */
  #shown(): number {
    const position = Math.max(this.#masked, this.#origin);
    return position - this.#origin + countBelow(this.#breaks, position);
  }

  /** The offset in `#held` of the unit at a position, after the line breaks in front of that unit. */
  #offsetOf(position: number): number {
    return position - this.#origin + countBelow(this.#breaks, position + 1);
  }
}

/** Returns the number of sorted numbers below the limit. */
function countBelow(sorted: readonly number[], limit: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle]! < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
