import type { pastViews } from '@conv/core';
import { Listeners } from '../data/listeners.ts';
import { mergeOutline } from './merge-outline.ts';
import { type PastSource, readOutline } from './past-reads.ts';

/** The outline of a log, as far as it is known. A new object after each change. */
export interface FollowedOutline {
  /**
   * `nothing`: no answer came yet. `failed`: none came, and a question failed. `part`: the server reads the log, and the outline covers what it has read. `whole`: the log was read
   * to the end that it had when the server was asked. `missing`: the server gives no outlines.
   */
  readonly covers: 'nothing' | 'failed' | 'part' | 'whole' | 'missing';
  readonly outline: pastViews.Outline;
}

/** Times of a follower, in milliseconds. */
export interface FollowerTimes {
  /** The time that the server reads for one answer. Default 1,000. */
  readonly within?: number;
  /** The time between two looks at a log that grows, and after a failure. Default 1,000. */
  readonly pause?: number;
}

/** Marks of a kind, and points of the cost, above which all are asked for anew. An answer has half as many. */
const HELD = 512;

/** The pause doubles with each failure, so many times. */
const MOST_DOUBLINGS = 6;

const NO_OUTLINE: pastViews.Outline = { from: 0, events: 0, marks: [], cost: [] };

/**
 * Follows the outline of a log. A server that has not read the log yet answers with parts of it, which come one after the other. A log
 * that grows is looked at now and then. Marks that come in many answers are asked for anew, joined, before there are too many. One question is asked at a time, and no answer is dropped because the log grew meanwhile.
 */
export class OutlineFollower {
  readonly subscribe: Listeners['subscribe'];
  readonly #listeners = new Listeners();
  readonly #source: PastSource;
  readonly #within: number;
  readonly #pause: number;
  #shown: FollowedOutline = { covers: 'nothing', outline: NO_OUTLINE };
  #total = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** True from a question until the pause after its answer has passed. */
  #isBusy = false;
  #failures = 0;
  #closing = new AbortController();

  constructor(source: PastSource, { within = 1_000, pause = 1_000 }: FollowerTimes = {}) {
    this.#source = source;
    this.#within = within;
    this.#pause = pause;
    this.subscribe = this.#listeners.subscribe;
  }

  readonly snapshot = (): FollowedOutline => this.#shown;

  /** Tells that the log has `total` events. The first call asks for the outline. */
  follow(total: number): void {
    this.#total = total;
    if (!this.#isBusy) void this.#ask(this.#closing.signal);
  }

  /** Asks no more, until `follow` is called again. */
  close(): void {
    this.#closing.abort();
    this.#closing = new AbortController();
    clearTimeout(this.#timer);
    this.#isBusy = false;
  }

  async #ask(closed: AbortSignal): Promise<void> {
    const { covers, outline } = this.#shown;
    if (covers === 'missing' || (covers === 'whole' && outline.events >= this.#total)) return;
    this.#isBusy = true;
    const total = this.#total;
    const news = await this.#read(isFull(outline) ? 0 : outline.events);
    if (closed.aborted) return;
    if (news !== 'failed') this.#show(news, total);
    else if (covers === 'nothing') this.#become({ covers: 'failed', outline });
    const goesOn = this.#shown.covers === 'part' && this.#shown.outline.events > outline.events;
    const wait = goesOn ? 0 : this.#pause * 2 ** Math.min(this.#failures, MOST_DOUBLINGS);
    this.#timer = setTimeout(() => {
      this.#isBusy = false;
      void this.#ask(closed);
    }, wait);
  }

  async #read(after: number): Promise<pastViews.Outline | 'failed' | undefined> {
    try {
      const news = await readOutline(this.#source, { after, within: this.#within });
      this.#failures = 0;
      return news;
    } catch {
      // the timeline says that the server is away
      this.#failures++;
      return 'failed';
    }
  }

  #show(news: pastViews.Outline | undefined, total: number): void {
    const outline = news ? mergeOutline(this.#shown.outline, news) : NO_OUTLINE;
    this.#become({ covers: !news ? 'missing' : news.events < total ? 'part' : 'whole', outline });
  }

  #become(shown: FollowedOutline): void {
    this.#shown = shown;
    this.#listeners.tell();
  }
}

function isFull({ marks, cost }: pastViews.Outline): boolean {
  if (cost.length > HELD) return true;
  const counts = new Map<pastViews.OutlineKind, number>();
  for (const { kind } of marks) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts.values()].some((count) => count > HELD);
}
