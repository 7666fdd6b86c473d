import type { ConversationSummary } from '@conv/core/store';
import { Turns, type Platform } from '@conv/core/platform';
import type { Report } from '../ownership/finding.ts';
import type { SharedList } from './shared-list.ts';

/** Milliseconds for which one listing serves the pages after its first. Summaries may be that old anyway. */
const FRESH = 5000;
/** Milliseconds until the work behind lists is tried again after it failed. */
const RETRY = 60_000;
/** Number of marks of this store, without a list in between, after which the store lists to remove them. */
const MOST_UNLISTED = 500;

export interface SummariesParts {
  readonly list: SharedList;
  readonly platform: Platform;
  readonly report: Report;
}

/** Lists for the callers of a store, and keeps the shared list up to date behind their backs. */
export class Summaries {
  readonly #parts: SummariesParts;
  readonly #turns = new Turns();
  readonly #behind = new Set<Promise<void>>();
  readonly #ending = new AbortController();
  /** Listing that has not begun yet. All callers until it begins get the same. */
  #next: Promise<readonly ConversationSummary[]> | undefined;
  #listed: { readonly at: number; readonly all: readonly ConversationSummary[] } | undefined;
  #deletions = 0;
  #marks = 0;
  #isComparing = false;
  #retryAt = -Infinity;

  constructor(parts: SummariesParts) {
    this.#parts = parts;
  }

  /** Resolves with all summaries as they are now, in no order. */
  all(): Promise<readonly ConversationSummary[]> {
    this.#next ??= this.#turns.run(() => {
      this.#next = undefined;
      return this.#list();
    });
    return this.#next;
  }

  /** Resolves with all summaries as they were for the pages before, if that is not long ago; else as they are now. */
  async forNextPage(): Promise<readonly ConversationSummary[]> {
    const listed = this.#listed;
    const age = listed ? this.#parts.platform.now() - listed.at : Infinity;
    return listed && age >= 0 && age < FRESH ? listed.all : this.all();
  }

  /** Forgets the last listing because a conversation was deleted: no page shows it any more. */
  deleted(): void {
    this.#listed = undefined;
    this.#deletions++;
  }

  /** Notes a mark of this store. After many of them the store lists by itself, which removes them, in case no caller lists. */
  marked(): void {
    if (++this.#marks < MOST_UNLISTED) return;
    this.#marks = 0;
    void this.#later(async () => void (await this.all()));
  }

  /** Compares the shared list with all manifests, and writes it again. Failures are reported, and the list is compared again later. */
  compare(): Promise<void> {
    return this.#later(async () => {
      const { list } = this.#parts;
      const seen = await list.manifests(this.#ending.signal);
      await this.#turns.run(async () => {
        await list.read(seen);
        await list.save();
      });
    });
  }

  /** Resolves when the work behind lists has ended. A comparison that is under way is given up. */
  async end(): Promise<void> {
    this.#ending.abort();
    while (this.#behind.size > 0) await Promise.all(this.#behind);
  }

  async #list(): Promise<readonly ConversationSummary[]> {
    const [at, deletions] = [this.#parts.platform.now(), this.#deletions];
    this.#marks = 0;
    const all = await this.#parts.list.read();
    if (deletions === this.#deletions) this.#listed = { at, all };
    this.#keepUp();
    return all;
  }

  /** Writes the shared list, and compares it with all manifests, when that is due. The caller of the list does not wait. */
  #keepUp(): void {
    const { list, platform } = this.#parts;
    if (platform.now() < this.#retryAt) return;
    if (list.isBehind) void this.#later(() => this.#turns.run(() => list.save()));
    if (!list.isUncompared || this.#isComparing) return;
    this.#isComparing = true;
    void this.compare().finally(() => (this.#isComparing = false));
  }

  /** Works behind the callers' backs. Resolves when that has ended or failed; a failure is reported. */
  async #later(work: () => Promise<void>): Promise<void> {
    const { platform, report } = this.#parts;
    const done = work().catch((error: unknown) => {
      this.#retryAt = platform.now() + RETRY;
      if (error !== this.#ending.signal.reason) report({ kind: 'listFailed', error });
    });
    this.#behind.add(done);
    await done;
    this.#behind.delete(done);
  }
}
