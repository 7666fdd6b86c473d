import { EdgeTable } from './edge-table.ts';

/** The node has children. */
const PARENT = 1;
/** The next node is one of them. */
const CHAINED = 2;
/** Others are in the table of edges. */
const FORKED = 4;
/** Children of the root by unit, since most failures lead there; others are in the table of edges. */
const DIRECT = 128;

/**
 * The tree of all patterns with its failure links (P9), an automaton by Aho and Corasick. Node 0 is the root. An example, with
 * patterns that are shorter than real ones:
 *
 *     patterns   abcd, abx, bcy
 *
 *     nodes      0 ─a─► 1 ─b─► 2 ─c─► 3 ─d─► 4 (ends abcd)
 *                │             └──x─► 5 (ends abx)
 *                └─b─► 6 ─c─► 7 ─y─► 8 (ends bcy)
 *     failures   2 ──► 6, 3 ──► 7, all others ──► 0
 *     text       a b c y: nodes 1, 2, 3, then 3 has no y, its failure 7 has: node 8
 *
 * Invariant: the node after a unit is the longest beginning of a pattern that the text ends with, and a failure link leads to the next
 * shorter one. So the text is read once, and no match is missed where two patterns overlap.
 *
 * Nodes of a pattern that no other pattern shares follow each other, so that only forks need an edge of their own: a pattern costs
 * 15 bytes a unit.
 */
export class PatternTree {
  /** The number of units that lead to the node. */
  readonly depth: Int32Array;
  /** Units of the longest pattern that ends at the node; 0: none does. */
  readonly longest: Int32Array;
  readonly #label: Uint16Array;
  readonly #fail: Int32Array;
  /** {@link PARENT}, {@link CHAINED}, {@link FORKED}. */
  readonly #flags: Uint8Array;
  readonly #roots = new Int32Array(DIRECT);
  readonly #edges = new EdgeTable();
  #size = 1;

  constructor(sorted: readonly string[]) {
    const capacity = 1 + countNodes(sorted);
    this.depth = new Int32Array(capacity);
    this.longest = new Int32Array(capacity);
    this.#label = new Uint16Array(capacity);
    this.#fail = new Int32Array(capacity);
    this.#flags = new Uint8Array(capacity);
    const parents = new Int32Array(capacity);
    this.#insertAll(sorted, parents);
    this.#linkFailures(parents);
  }

  /** The longest beginning of a pattern that the text ends with after one more unit. */
  step(from: number, unit: number): number {
    let node = from;
    for (;;) {
      const next = this.#child(node, unit);
      if (next !== 0 || node === 0) return next;
      node = this.#fail[node]!;
    }
  }

  /** Returns the number of units before this node that may still become a pattern, or a longer one. */
  pending(from: number): number {
    let node = from;
    while (node !== 0 && (this.#flags[node]! & PARENT) === 0) node = this.#fail[node]!;
    return this.depth[node]!;
  }

  /** The next shorter beginning of a pattern that a text ends with. */
  shorter(node: number): number {
    return this.#fail[node]!;
  }

  /** Returns the child of a node for a unit; 0 if there is none. */
  #child(node: number, unit: number): number {
    if (node === 0 && unit < DIRECT) return this.#roots[unit]!;
    const flags = this.#flags[node]!;
    if ((flags & CHAINED) !== 0 && this.#label[node + 1] === unit) return node + 1;
    return (flags & FORKED) === 0 ? 0 : this.#edges.get(node, unit);
  }

  #insertAll(sorted: readonly string[], parents: Int32Array): void {
    const path: number[] = [0];
    let previous = '';
    for (const pattern of sorted) {
      let shared = sharedLength(previous, pattern);
      for (; shared < pattern.length; shared += 1)
        path[shared + 1] = this.#addChild(path[shared]!, pattern, shared, parents);
      this.longest[path[pattern.length]!] = pattern.length;
      previous = pattern;
    }
  }

  #addChild(parent: number, pattern: string, index: number, parents: Int32Array): number {
    const node = this.#size;
    const unit = pattern.charCodeAt(index);
    this.#size += 1;
    this.#label[node] = unit;
    this.depth[node] = index + 1;
    parents[node] = parent;
    if (parent === 0 && unit < DIRECT) this.#roots[unit] = node;
    else if (parent !== node - 1) this.#edges.set(parent, unit, node);
    this.#flags[parent]! |= parent === node - 1 ? PARENT | CHAINED : PARENT | FORKED;
    return node;
  }

  #linkFailures(parents: Int32Array): void {
    for (const node of byDepth(this.depth, this.#size)) {
      const parent = parents[node]!;
      if (parent !== 0) this.#fail[node] = this.step(this.#fail[parent]!, this.#label[node]!);
      // Links lead to lower nodes, whose longest pattern is known by now.
      if (this.longest[node] === 0) this.longest[node] = this.longest[this.#fail[node]!]!;
    }
  }
}

function countNodes(sorted: readonly string[]): number {
  let count = 0;
  let previous = '';
  for (const pattern of sorted) {
    count += pattern.length - sharedLength(previous, pattern);
    previous = pattern;
  }
  return count;
}

function sharedLength(left: string, right: string): number {
  const end = Math.min(left.length, right.length);
  let index = 0;
  while (index < end && left.charCodeAt(index) === right.charCodeAt(index)) index += 1;
  return index;
}

/** All nodes but the root, upper ones first. */
function byDepth(depth: Int32Array, size: number): Int32Array {
  let deepest = 0;
  for (let node = 1; node < size; node += 1) deepest = Math.max(deepest, depth[node]!);
  const place = new Int32Array(deepest + 2);
  for (let node = 1; node < size; node += 1) place[depth[node]! + 1]! += 1;
  for (let level = 1; level < place.length; level += 1) place[level]! += place[level - 1]!;
  const order = new Int32Array(size - 1);
  for (let node = 1; node < size; node += 1) {
    const level = depth[node]!;
    order[place[level]!] = node;
    place[level]! += 1;
  }
  return order;
}
