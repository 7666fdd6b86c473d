import { type Projection, projections } from '@conv/core';
import { Turns } from '@conv/core/platform';
import { toCommitSeq, type Commit, type CommitSeq, type JournalReader } from '@conv/core/store';

import { CommitSpan, CommitSpans } from './commit-spans.ts';

/** Sizes of the cache, in numbers of commits and of projections. */
export interface CheckpointSizes {
  /** Commits per region. Once a region was read, finding a state in it folds no more commits than these. */
  readonly region: number;
  /** Commits between two checkpoints of a region. */
  readonly step: number;
  /** Regions whose checkpoints are kept; the region that was looked at longest ago is dropped. */
  readonly regions: number;
  /** Beginnings of regions that are kept. Above it, every second one is dropped, and the distance between them doubles. */
  readonly beginnings: number;
}

const USUAL: CheckpointSizes = { region: 1024, step: 32, regions: 128, beginnings: 256 };

/**
 * The number of successive looks at a region that read a few commits each. The next look reads the whole region, because a request
 * costs more than its commits.
 */
const FEW_LOOKS = 2;

/** Commits that are folded together. */
interface Region {
  /** States in the region, in ascending order; the first is before its first commit. */
  readonly checkpoints: Projection[];
  /** The number of events after each of its commits. */
  readonly ends: number[];
  /** The number of successive looks that did not find their commits in memory; -Infinity for a region that is too large to keep. */
  looks: number;
}

/** A past state, and the commit that led to it. */
export interface FoundState {
  readonly projection: Projection;
  /** `undefined` before the first commit, and for a damaged commit. */
  readonly commit: Commit | undefined;
}

/**
 * Finds past states of a log: folds from the nearest checkpoint before them. The first look at a region reads all of it, so that
 * further looks at it find their commits in memory, or read a few. Checkpoints are a cache in memory, and projections share what did
 * not change between them. A log with damage is folded as an opening folds it.
 */
export class PastCheckpoints {
  readonly #reader: JournalReader;
  /** States before the first commit of a region, by the number of that commit, in ascending order. */
  #beginnings: readonly Projection[] = [projections.empty];
  /** The commits between two beginnings. */
  #distance: number;
  /** The most recently used region comes last. */
  readonly #regions = new Map<number, Region>();
  /** The region of the last look that did not find its commits in memory. */
  #lookedAt: Region | undefined;
  /** The state at the end of the log when it was last asked for, if it was found from a snapshot. */
  #newest: Projection | undefined;
  readonly #spans = new CommitSpans();
  readonly #turns = new Turns();

  readonly #sizes: CheckpointSizes;

  constructor(reader: JournalReader, sizes: CheckpointSizes = USUAL) {
    this.#reader = reader;
    this.#sizes = sizes;
    this.#distance = sizes.region;
  }

  /** Resolves with the state before the commit `to`, which is at most the end of the log. */
  async before(to: CommitSeq): Promise<Projection> {
    return (await this.lookAt(to)).projection;
  }

  /** Resolves with the state before the commit `to`, and the commit before it. */
  async lookAt(to: CommitSeq): Promise<FoundState> {
    if (to === 0) return { projection: projections.empty, commit: undefined };
    if (this.#reader.damage.length === 0) {
      const found = await this.#turns.run(() => this.#find(to));
      // damage is found while commits are read
      if (this.#reader.damage.length === 0) return found;
    }
    this.#beginnings = [projections.empty];
    this.#regions.clear();
    this.#newest = undefined;
    this.#spans.clear();
    const projection = await projections.readState(this.#reader, { to });
    let commit: Commit | undefined;
    for await (const last of this.#reader.commits({ from: toCommitSeq(to - 1), to })) commit = last;
    return { projection, commit };
  }

  /**
   * Resolves with the number of the commit that holds an event; `undefined` when no region that was read or passed holds the event.
   */
  async holderOf(event: number): Promise<CommitSeq | undefined> {
    if (this.#reader.damage.length > 0) return undefined;
    const passed = this.#passedRegion(event);
    if (passed !== undefined && !this.#regions.has(passed))
      await this.lookAt(toCommitSeq((passed + 1) * this.#sizes.region));
    for (const [number, { checkpoints, ends }] of this.#regions) {
      const first = checkpoints[0]?.end.event ?? 0;
      if (event < first || event >= (ends.at(-1) ?? first)) continue;
      return toCommitSeq(number * this.#sizes.region + ends.findIndex((end) => end > event));
    }
    return undefined;
  }

  /** Returns the region that holds an event, if the states before and after it are kept. */
  #passedRegion(event: number): number | undefined {
    const after = this.#beginnings.findIndex(({ end }) => end.event > event);
    const [before, next] = [this.#beginnings[after - 1], this.#beginnings[after]];
    if (!before || !next || next.end.seq - before.end.seq !== this.#sizes.region) return undefined;
    return before.end.seq / this.#sizes.region;
  }

  /**
   * Folds the commits from `from` to before `to`, and keeps beginnings of regions on the way. `seen` is called with the states
   * before and after each commit; the walk ends when it resolves with false. Keeps no state of a damaged log.
   */
  async walk(
    from: Projection,
    to: CommitSeq,
    seen: (before: Projection, commit: Commit, after: Projection) => Promise<boolean>,
  ): Promise<void> {
    await this.#foldFrom(from, to, (after, commit, before) => {
      if (this.#reader.damage.length === 0) this.#keep(after);
      return seen(before, commit, after);
    });
  }

  async #find(to: CommitSeq): Promise<FoundState> {
    const number = Math.floor((to - 1) / this.#sizes.region);
    const first = number * this.#sizes.region;
    const newest = this.#regions.has(number) ? undefined : await this.#findNewest(to, first);
    if (newest) return newest;
    const region = await this.#enter(number, toCommitSeq(first));
    const read = to > first + region.ends.length ? await this.#extend(region, first) : undefined;
    const start = nearest(region.checkpoints, to - 1);
    const from = start.end.seq;
    let projection = start;
    let commit: Commit | undefined;
    for (commit of read?.filter(({ seq }) => seq >= from && seq < to) ??
      (await this.#commits(region, { first, from, to })))
      projection = await projections.foldCommit(this.#reader, projection, commit);
    return { projection, commit };
  }

  /**
   * Finds a state of the last region, whose beginning `first` is not known yet, from the snapshot in it. So the newest state of a long
   * log, which is asked for first, needs no older commit.
   */
  async #findNewest(to: CommitSeq, first: number): Promise<FoundState | undefined> {
    if (first + this.#sizes.region < this.#reader.end.seq) return undefined;
    if (nearest(this.#beginnings, first).end.seq === first) return undefined;
    const known = this.#newest && this.#newest.end.seq <= to ? this.#newest : undefined;
    const start = known ?? (await projections.startingPoint(this.#reader, to));
    if (!start || start.end.seq < first) return undefined;
    let commit: Commit | undefined;
    const projection = await this.#foldFrom(start, to, (_, passed) => void (commit = passed));
    for await (const last of commit ? [] : this.#reader.commits({ from: toCommitSeq(to - 1), to })) commit = last;
    if (to === this.#reader.end.seq) this.#newest = projection;
    return { projection, commit };
  }

  async #enter(number: number, first: CommitSeq): Promise<Region> {
    const known = this.#regions.get(number);
    const region = known ?? { checkpoints: [await this.#beginning(first)], ends: [], looks: 0 };
    this.#regions.delete(number);
    this.#regions.set(number, region);
    for (const oldest of this.#regions.keys())
      if (this.#regions.size > this.#sizes.regions) this.#regions.delete(oldest);
    return region;
  }

  /** Folds the commits of a region that are new to it; resolves with them, unless they are too large. */
  async #extend(region: Region, first: number): Promise<readonly Commit[] | undefined> {
    const { checkpoints, ends } = region;
    const start = checkpoints.at(-1) ?? projections.empty;
    const to = toCommitSeq(Math.min(first + this.#sizes.region, this.#reader.end.seq));
    const span = new CommitSpan(start.end.seq);
    await this.#foldFrom(start, to, (projection, commit) => {
      span.add(commit);
      if (commit.seq >= first + ends.length) ends.push(projection.end.event);
      if (projection.end.seq >= (checkpoints.at(-1)?.end.seq ?? 0) + this.#sizes.step) checkpoints.push(projection);
      if (projection.end.seq === first + this.#sizes.region) this.#keep(projection);
    });
    if (!this.#spans.keep(span, to)) region.looks = Number.NEGATIVE_INFINITY;
    return span.commits;
  }

  /** Resolves with commits of a region: from memory, a few from the store, or, after several looks, the whole region. */
  async #commits(
    region: Region,
    { first, from, to }: { readonly first: number; readonly from: number; readonly to: number },
  ): Promise<readonly Commit[]> {
    const kept = this.#spans.get(from, to);
    if (kept) return kept;
    // looks that jump between regions read only a few commits each
    if (this.#lookedAt !== region) region.looks = Math.min(region.looks, 0);
    this.#lookedAt = region;
    const whole = region.looks++ >= FEW_LOOKS;
    if (whole) region.looks = 0;
    const end = first + region.ends.length;
    const [start, stop] = whole ? [first, end] : [from, Math.min(end, from + this.#sizes.step)];
    const range = { from: toCommitSeq(start), to: toCommitSeq(Math.max(stop, to)) };
    const span = new CommitSpan(range.from);
    const commits: Commit[] = [];
    for await (const commit of this.#reader.commits(range)) {
      span.add(commit);
      commits.push(commit);
    }
    this.#spans.keep(span, range.to);
    return commits.filter(({ seq }) => seq >= from && seq < to);
  }

  async #beginning(at: CommitSeq): Promise<Projection> {
    const known = nearest(this.#beginnings, at);
    const snapshot =
      at - known.end.seq > this.#sizes.region ? await projections.startingPoint(this.#reader, at) : undefined;
    const from = snapshot && snapshot.end.seq > known.end.seq ? snapshot : known;
    return this.#foldFrom(from, at, (projection) => this.#keep(projection));
  }

  /** Keeps the state at the beginning of a region, if no kept beginning is near it. */
  #keep(projection: Projection): void {
    if (projection.end.seq % this.#distance !== 0) return;
    const later = this.#beginnings.findIndex(({ end }) => end.seq >= projection.end.seq);
    const place = later === -1 ? this.#beginnings.length : later;
    if (this.#beginnings[place]?.end.seq === projection.end.seq) return;
    this.#beginnings = this.#beginnings.toSpliced(place, 0, projection);
    if (this.#beginnings.length <= this.#sizes.beginnings) return;
    this.#distance *= 2;
    this.#beginnings = this.#beginnings.filter(({ end }) => end.seq % this.#distance === 0);
  }

  async #foldFrom(
    from: Projection,
    to: CommitSeq,
    passed: (after: Projection, commit: Commit, before: Projection) => unknown,
  ): Promise<Projection> {
    let projection = from;
    if (from.end.seq >= to) return from;
    for await (const commit of this.#reader.commits({ from: from.end.seq, to })) {
      const before = projection;
      projection = await projections.foldCommit(this.#reader, before, commit);
      if ((await passed(projection, commit, before)) === false) break;
    }
    return projection;
  }
}

/** Returns the last of the kept projections, which are in ascending order, that holds no commit from `to` on. */
function nearest(kept: readonly Projection[], to: number): Projection {
  return kept.findLast(({ end }) => end.seq <= to) ?? projections.empty;
}
