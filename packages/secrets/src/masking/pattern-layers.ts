import { PatternAutomaton } from './automaton.ts';
import type { PatternSet } from './pattern-set.ts';
import { PatternTree } from './pattern-tree.ts';
import { SkipFilter, WINDOW } from './skip-filter.ts';

/** The most units of a merged tree: building a larger tree again would take longer than other work can wait. */
const LARGEST_MERGED = 1 << 19;

interface Layer {
  readonly tree: PatternTree;
  readonly patterns: readonly string[];
  /** The units of all its patterns together. */
  readonly units: number;
}

/**
 * Patterns that become known one after the other, in trees of which each is larger than the ones after it together. New patterns
 * get a tree of their own, with the patterns of the last trees as long as these are smaller. So each pattern is put into a tree as
 * often as the size of a tree can double, however many are known already.
 */
export class PatternLayers {
  readonly #makeTree: (sorted: readonly string[]) => PatternTree;
  readonly #layers: Layer[] = [];
  readonly #filter = new SkipFilter();
  readonly #openings = new Set<string>();

  constructor(makeTree: (sorted: readonly string[]) => PatternTree = (sorted) => new PatternTree(sorted)) {
    this.#makeTree = makeTree;
  }

  /** Returns the automaton of these patterns and all before. Earlier automata continue finding their own patterns. */
  with({ patterns, openings }: Pick<PatternSet, 'patterns' | 'openings'>): PatternAutomaton {
    for (const opening of openings) if (opening.length >= WINDOW) this.#openings.add(opening);
    this.#addLayer([...patterns]);
    const trees = this.#layers.map(({ tree }) => tree);
    return new PatternAutomaton({ trees, filter: this.#filter, openings: this.#openings });
  }

  #addLayer(fresh: readonly string[]): void {
    this.#filter.add(fresh);
    let units = unitsOf(fresh);
    let first = this.#layers.length;
    for (; first > 0; first -= 1) {
      const before = this.#layers[first - 1]!.units;
      if (before > units || before + units > LARGEST_MERGED) break;
      units += before;
    }
    const merged = this.#layers.slice(first).flatMap((layer) => layer.patterns);
    const sorted = [...merged, ...fresh].toSorted();
    const tree = this.#makeTree(sorted);
    this.#layers.splice(first, Infinity, { tree, units, patterns: units > LARGEST_MERGED ? [] : sorted });
  }
}

function unitsOf(patterns: readonly string[]): number {
  return patterns.reduce((sum, pattern) => sum + pattern.length, 0);
}
