import type { PatternTree } from './pattern-tree.ts';
import { WINDOW, type SkipFilter } from './skip-filter.ts';

/** The position of a text in the automaton. Positions count the units seen so far. */
export interface Walk {
  /** The node in each tree. */
  readonly nodes: Int32Array;
  at: number;
  /** The starts and ends of the parts to mask, alternating: sorted, and without overlaps. */
  readonly spans: number[];
}

export interface AutomatonParts {
  readonly trees: readonly PatternTree[];
  /** Knows the beginnings of all patterns in the trees. */
  readonly filter: SkipFilter;
  /** Beginnings of patterns that are not secret. */
  readonly openings: ReadonlySet<string>;
}

/**
 * Finds every occurrence of every pattern in one pass over UTF-16 units: Aho–Corasick automata side by side, with a
 * filter in front that skips units with which no pattern can begin. Time grows only with the text and the few trees,
 * whatever the patterns are. Patterns have at least {@link WINDOW} units.
 */
export class PatternAutomaton {
  readonly #trees: readonly PatternTree[];
  readonly #filter: SkipFilter;
  readonly #openings: ReadonlySet<string>;

  constructor({ trees, filter, openings }: AutomatonParts) {
    this.#trees = trees;
    this.#filter = filter;
    this.#openings = openings;
  }

  /** Before the first unit of a text. */
  start(): Walk {
    return { nodes: new Int32Array(this.#trees.length), at: 0, spans: [] };
  }

  /** Returns the number of units at the end of the text seen so far that begin an incomplete pattern. */
  pending({ nodes }: Walk): number {
    let longest = 0;
    for (const [index, tree] of this.#trees.entries()) longest = Math.max(longest, tree.pending(nodes[index]!));
    return longest;
  }

  /**
   * Returns the number of units at the end of the text seen so far that begin a cut-off value; `ending` returns the last units.
   */
  cutOff({ nodes }: Walk, ending: (length: number) => string): number {
    let longest = 0;
    for (const [index, tree] of this.#trees.entries()) {
      let node = nodes[index]!;
      for (let length = tree.pending(node); length >= WINDOW && length > longest; length = tree.pending(node)) {
        if (!this.#opens(ending(length))) longest = length;
        node = tree.shorter(node);
      }
    }
    return longest;
  }

  /** Reads `length` further units and adds the matches to the spans. */
  advance(walk: Walk, units: Uint16Array, length: number): void {
    const { nodes } = walk;
    const trees = this.#trees;
    let pending = 0;
    for (let tree = 0; tree < trees.length; tree += 1) pending = Math.max(pending, trees[tree]!.depth[nodes[tree]!]!);
    let index = 0;
    let until = 0;
    for (;;) {
      // The filter takes over when the beginnings that are pending are short and lie within these units.
      while (index < length && (index < until || pending >= WINDOW || index < pending)) {
        const unit = units[index]!;
        index += 1;
        pending = 0;
        let found = 0;
        for (let at = 0; at < trees.length; at += 1) {
          const tree = trees[at]!;
          const node = tree.step(nodes[at]!, unit);
          nodes[at] = node;
          pending = Math.max(pending, tree.depth[node]!);
          found = Math.max(found, tree.longest[node]!);
        }
        if (found > 0) addSpan(walk.spans, walk.at + index - found, walk.at + index);
      }
      if (index >= length) break;
      index = this.#filter.next(units, index - pending, length);
      until = index + WINDOW;
      pending = 0;
      nodes.fill(0);
    }
    walk.at += length;
  }

  #opens(units: string): boolean {
    for (const opening of this.#openings) if (opening.startsWith(units)) return true;
    return false;
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
