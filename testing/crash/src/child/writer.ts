import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { initialFields, type StateFields } from '@conv/core';
import { stampEvent, userMessage } from '@conv/core/events';
import { isStoreError, type ConversationStore, type Journal, type StoreErrorCode } from '@conv/core/store';
import { Random } from '@conv/testing-harness';

import { report } from '../report.ts';
import type { WriterPlan } from '../writer-plan.ts';
import { openPlannedStore } from './open-store.ts';

/** Milliseconds between attempts to open. */
const RETRY = 10;

/** Errors that an append may meet while other processes take the conversation; any other error is a finding. */
const EXCUSED: readonly StoreErrorCode[] = ['FENCED', 'CLOSED', 'UNAVAILABLE', 'OUTCOME_UNKNOWN'];

/** Opens a conversation whenever possible, and appends to it until it is fenced or releases it. */
export class Writer {
  readonly #plan: WriterPlan;
  readonly #random: Random;
  readonly #after: StateFields;
  #ending = false;

  constructor(plan: WriterPlan) {
    this.#plan = plan;
    this.#random = new Random(plan.seed);
    this.#after = { ...initialFields, id: plan.conversationId, createdAt: '2026-01-01T00:00:00.000Z' };
  }

  /** Resolves when it was told to end by SIGTERM and has closed everything. */
  async write(): Promise<void> {
    process.once('SIGTERM', () => (this.#ending = true));
    const { store, close } = await openPlannedStore(this.#plan);
    while (!this.#ending) await this.#own(store);
    await close();
    report({ kind: 'closed' });
  }

  /** Owns the conversation once, if it can be had. */
  async #own(store: ConversationStore): Promise<void> {
    const journal = await this.#open(store);
    if (!journal) return sleep(RETRY);
    report({ kind: 'opened' });
    const first = { id: randomUUID(), events: [], patch: { set: this.#after } };
    let mine = journal.end.seq > 0 || (await this.#append(journal, first));
    while (mine && !this.#ending && !this.#random.chance(0.02)) {
      mine = await this.#burst(journal);
      await sleep(this.#random.between(0, 8));
    }
    await journal.close().catch((error: unknown) => this.#judge(error));
  }

  async #open(store: ConversationStore): Promise<Journal | undefined> {
    try {
      return await store.open(this.#plan.conversationId, { owner: `writer ${this.#plan.writer}` });
    } catch (error) {
      if (isStoreError(error, 'OWNED') || isStoreError(error, 'UNAVAILABLE')) return undefined;
      throw error;
    }
  }

  async #burst(journal: Journal): Promise<boolean> {
    const commits = Array.from({ length: this.#random.between(1, 6) }, () => {
      const draft = userMessage('x'.repeat(this.#random.between(1, 1500)));
      const stamp = { id: randomUUID(), timestamp: '2026-01-01T00:00:00.000000', parentId: null };
      return { id: randomUUID(), events: [stampEvent(draft, stamp)] };
    });
    const stored = await Promise.all(commits.map((commit) => this.#append(journal, commit)));
    return stored.every(Boolean);
  }

  /** Appends a commit; resolves with true if it was stored. */
  async #append(journal: Journal, commit: Parameters<Journal['append']>[0]): Promise<boolean> {
    try {
      const { seq, id, epoch } = await journal.append(commit, this.#after);
      report({ kind: 'stored', seq, id, epoch });
      return true;
    } catch (error) {
      this.#judge(error);
      if (isStoreError(error, 'FENCED')) report({ kind: 'fenced' });
      // a commit in flight may become part of the log that the next owner takes over
      else if (!isStoreError(error, 'OUTCOME_UNKNOWN')) report({ kind: 'refused', id: commit.id });
      return false;
    }
  }

  #judge(error: unknown): void {
    if (!EXCUSED.some((code) => isStoreError(error, code))) throw error;
  }
}
