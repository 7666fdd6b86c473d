import { projections } from '@conv/core';
import type { Commit } from '@conv/core/store';

/** The approximate maximum of characters of JSON that are kept. */
const MOST_CHARACTERS = 16 * 1024 * 1024;

/** Consecutive commits, collected as they are read; dropped when they become too large. */
export class CommitSpan {
  readonly from: number;
  #commits: Commit[] | undefined = [];
  #characters = 0;

  constructor(from: number) {
    this.from = from;
  }

  /** The commits; `undefined` when they are too large to keep. */
  get commits(): readonly Commit[] | undefined {
    return this.#commits;
  }

  get characters(): number {
    return this.#characters;
  }

  add(commit: Commit): void {
    if (!this.#commits) return;
    const { events, patch = null } = commit;
    this.#characters += projections.lengthOf([events, patch]);
    if (this.#characters > MOST_CHARACTERS / 4) this.#commits = undefined;
    else this.#commits.push(commit);
  }
}

interface Kept {
  readonly from: number;
  readonly to: number;
  readonly commits: readonly Commit[];
  readonly characters: number;
}

/** A cache of spans of commits, so that reading nearby states reads the store once. Bounded by size. */
export class CommitSpans {
  /** The span that was used longest ago is the first. */
  #spans: readonly Kept[] = [];

  /** Keeps a span whose last commit is before `to`; false when it is too large. */
  keep({ from, commits, characters }: CommitSpan, to: number): boolean {
    if (!commits) return false;
    const others = this.#spans.filter((span) => span.from < from || span.to > to);
    this.#spans = [...others, { from, to, commits, characters }];
    let total = this.#spans.reduce((sum, span) => sum + span.characters, 0);
    while (total > MOST_CHARACTERS) {
      total -= this.#spans[0]?.characters ?? 0;
      this.#spans = this.#spans.slice(1);
    }
    return true;
  }

  /** Returns the commits from `from` to before `to`; `undefined` when they are not kept. */
  get(from: number, to: number): readonly Commit[] | undefined {
    const found = this.#spans.find((span) => span.from <= from && to <= span.to);
    if (!found) return undefined;
    this.#spans = [...this.#spans.filter((span) => span !== found), found];
    return found.commits.filter(({ seq }) => seq >= from && seq < to);
  }

  clear(): void {
    this.#spans = [];
  }
}
