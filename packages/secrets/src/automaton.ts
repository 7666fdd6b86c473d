import { SkipFilter, WINDOW } from './skip-filter.ts';
import type { PatternSet } from './pattern-set.ts';
import { PatternTree } from './pattern-tree.ts';

/** Where a text stands in the automaton. Positions count the units seen so far. */
export interface Walk {
  node: number;
  at: number;
  /** Start and end of what is to be masked, in turns: sorted, and none overlaps another. */
  readonly spans: number[];
}

/**
 * Finds every occurrence of every pattern in one pass over UTF-16 units: an Aho–Corasick automaton, with a filter in front that
 * jumps over what cannot begin a pattern. Time grows with the text alone, whatever the patterns are.
 */
export class PatternAutomaton {
  readonly #tree: PatternTree;
  readonly #filter: SkipFilter;

  readonly #openings: readonly string[];

  /** Patterns have at least {@link WINDOW} units. */
  constructor({ patterns, openings }: Pick<PatternSet, 'patterns' | 'openings'>) {
    const sorted = [...patterns].toSorted();
    this.#openings = [...openings].filter((opening) => opening.length >= WINDOW);
    this.#tree = new PatternTree(sorted);
    this.#filter = new SkipFilter(sorted);
  }

  /** How many units at the end of what was seen are the beginning of a pattern that is not complete. */
  pending(walk: Walk): number {
    return this.#tree.pending(walk.node);
  }

  /** How many units at the end of what was seen are the beginning of a value that was cut off; `ending` returns the last ones. */
  cutOff(walk: Walk, ending: (length: number) => string): number {
    let node = walk.node;
    for (let length = this.#tree.pending(node); length >= WINDOW; length = this.#tree.pending(node)) {
      const units = ending(length);
      if (!this.#openings.some((opening) => opening.startsWith(units))) return length;
      node = this.#tree.shorter(node);
    }
    return 0;
  }

  /** Takes `length` units further and adds what was found to the spans. */
  advance(walk: Walk, units: Uint16Array, length: number): void {
    const tree = this.#tree;
    const { depth, longest } = tree;
    let node = walk.node;
    let index = 0;
    let until = 0;
    for (;;) {
      // The filter takes over when the beginning that is pending is short and lies within these units.
      while (index < length && (index < until || depth[node]! >= WINDOW || index < depth[node]!)) {
        node = tree.step(node, units[index]!);
        index += 1;
        const found = longest[node]!;
        if (found > 0) addSpan(walk.spans, walk.at + index - found, walk.at + index);
      }
      if (index >= length) break;
      index = this.#filter.next(units, index - depth[node]!, length);
      until = index + WINDOW;
      node = 0;
    }
    walk.node = node;
    walk.at += length;
  }
}

/** Spans that overlap become one; spans that only touch stay two. */
export function addSpan(spans: number[], start: number, end: number): void {
  let from = start;
  while (spans.length > 0 && spans.at(-1)! > start) {
    spans.pop();
    from = Math.min(from, spans.pop()!);
  }
  spans.push(from, end);
}
