import { toCommitSeq, type CommitSeq } from '../contract/state/log-position.ts';
import type { JournalReader } from '../contract/store/conversation-store.ts';
import { foldCommit } from './fold/fold-journal.ts';
import { emptyProjection, type Projection } from './fold/projection.ts';
import { readAround, startingPoint } from './fold/read-state.ts';

/** Sizes of the cache, in numbers of commits and of projections. */
export interface CheckpointSizes {
  /** Commits of a region: a look at one of them folds no more than these, once the region was entered. */
  readonly region: number;
  /** Commits between two checkpoints of a region. */
  readonly step: number;
  /** Regions whose checkpoints are kept; the region that was looked at longest ago is dropped. */
  readonly regions: number;
  /** Beginnings of regions that are kept. Above it, every second one is dropped, and the distance between them doubles. */
  readonly beginnings: number;
}

const USUAL: CheckpointSizes = { region: 512, step: 32, regions: 128, beginnings: 256 };

/**
 * Finds past states of a log: folds from the nearest checkpoint before them. Checkpoints are a cache in memory, and projections share
 * what did not change between them. A log with damage is folded as an opening folds it.
 */
export class PastCheckpoints {
  readonly #reader: JournalReader;
  /** States before the first commit of a region, by the number of that commit, in ascending order. */
  #beginnings: readonly Projection[] = [emptyProjection];
  /** The commits between two beginnings. */
  #distance: number;
  /** Checkpoints by region, in ascending order; the newest region that was looked at is the last. */
  readonly #regions = new Map<number, Projection[]>();

  readonly #sizes: CheckpointSizes;

  constructor(reader: JournalReader, sizes: CheckpointSizes = USUAL) {
    this.#reader = reader;
    this.#sizes = sizes;
    this.#distance = sizes.region;
  }

  /** Resolves with the state before the commit `to`, which is at most the end of the log. */
  async before(to: CommitSeq): Promise<Projection> {
    if (this.#reader.damage.length === 0) {
      const projection = await this.#fold(to);
      // damage is found while commits are read
      if (this.#reader.damage.length === 0) return projection;
    }
    this.#beginnings = [emptyProjection];
    this.#regions.clear();
    return (await readAround(this.#reader, { to })).projection;
  }

  async #fold(to: CommitSeq): Promise<Projection> {
    const { region: width, regions, step } = this.#sizes;
    const region = Math.floor(to / width);
    const checkpoints = this.#regions.get(region) ?? [await this.#beginning(toCommitSeq(region * width))];
    this.#regions.delete(region);
    this.#regions.set(region, checkpoints);
    for (const oldest of this.#regions.keys()) if (this.#regions.size > regions) this.#regions.delete(oldest);
    return this.#foldFrom(nearest(checkpoints, to), to, (projection) => {
      const newest = checkpoints.at(-1)?.end.seq ?? 0;
      if (projection.end.seq >= newest + step) checkpoints.push(projection);
    });
  }

  async #beginning(at: CommitSeq): Promise<Projection> {
    const known = nearest(this.#beginnings, at);
    const snapshot = at - known.end.seq > this.#sizes.region ? await startingPoint(this.#reader, at) : undefined;
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

  async #foldFrom(from: Projection, to: CommitSeq, passed: (projection: Projection) => void): Promise<Projection> {
    let projection = from;
    if (from.end.seq >= to) return from;
    for await (const commit of this.#reader.commits({ from: from.end.seq, to })) {
      projection = await foldCommit(this.#reader, projection, commit);
      passed(projection);
    }
    return projection;
  }
}

/** Returns the last of `projections`, which are in ascending order, that holds no commit from `to` on. */
function nearest(projections: readonly Projection[], to: CommitSeq): Projection {
  return projections.findLast(({ end }) => end.seq <= to) ?? emptyProjection;
}
