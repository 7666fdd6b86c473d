import type { ConversationStore } from '@conv/core/store';
import { type LogImage, readLog } from '@conv/testing-harness';

import { digestOf } from '../report.ts';
import { readWitness } from '../witness.ts';
import { checkCalls } from './check-calls.ts';
import { checkFork } from './check-fork.ts';
import { acknowledgedCommits, checkAcknowledged, checkOrder } from './check-log.ts';
import { checkMonotone, checkSettings } from './check-settings.ts';
import type { Findings } from './findings.ts';
import type { FolderMirror } from './folder-mirror.ts';
import type { Ledger } from './ledger.ts';

/** Input of an inspection, and the records to compare it with. */
export interface InspectionInput {
  readonly store: ConversationStore;
  /** The mirror of OpenHands, for stores with files. */
  readonly mirror: FolderMirror | undefined;
  readonly conversationId: string;
  readonly witness: string;
  readonly ledger: Ledger;
  readonly findings: Findings;
}

/** Compares the store of a round with what its lives were told. */
export class Inspection {
  readonly #input: InspectionInput;
  /** The number of acknowledged commits at the last look. */
  acknowledged = 0;

  constructor(input: InspectionInput) {
    this.#input = input;
  }

  /** Looks from outside, maybe during writes. The data that it reads must be there from then on. */
  async look(): Promise<LogImage | undefined> {
    const { mirror, conversationId, findings } = this.#input;
    const ledger = this.#input.ledger.copy();
    const { settings } = ledger;
    try {
      mirror?.checkSettings(conversationId, settings, findings);
      const image = await this.#read(conversationId);
      if (!image) return undefined;
      checkOrder(image, findings);
      checkAcknowledged(image, ledger, findings);
      checkMonotone(image, findings);
      checkSettings('log', image.projection.fields, settings, findings);
      this.acknowledged = acknowledgedCommits(image, ledger).size;
      for (const { commit } of image.commits)
        this.#input.ledger.takeCommit(commit.id, { ...commit, digest: digestOf(commit) });
      return image;
    } catch (error) {
      findings.add('unopenable', conversationId, String(error));
      return undefined;
    }
  }

  /** Looks at a conversation that was recovered and closed, and opens it for writing. */
  async lookAtEnd(): Promise<void> {
    const { mirror, conversationId, witness, ledger, findings } = this.#input;
    const image = await this.look();
    try {
      if (!image) throw new Error('it cannot be read');
      checkCalls(image, readWitness(witness), ledger, findings);
      mirror?.check(conversationId, image, findings);
      await this.#reopen(conversationId);
      await this.look();
      await this.#lookAtForks(image);
    } catch (error) {
      findings.add('unopenable', conversationId, String(error));
    }
  }

  /**
   * Checks that each acknowledged fork exists; another fork may exist. Every existing fork can be opened and is no less strict.
   */
  async #lookAtForks(source: LogImage): Promise<void> {
    const { store, conversationId, ledger } = this.#input;
    const listed = await store.list({ limit: 100 });
    const ids = new Set([...listed.items.map(({ id }) => id), ...ledger.forks.keys()]);
    ids.delete(conversationId);
    for (const id of ids) await this.#lookAtFork(id, source);
  }

  async #lookAtFork(id: string, source: LogImage): Promise<void> {
    const { mirror, ledger, findings } = this.#input;
    try {
      await this.#reopen(id);
      const image = await this.#read(id);
      if (!image) throw new Error('it cannot be read');
      mirror?.check(id, image, findings);
      const told = ledger.forks.get(id);
      if (told) checkFork(id, image, source, told, findings);
    } catch (error) {
      findings.add('unopenable', `fork ${id}`, String(error));
    }
  }

  async #read(id: string): Promise<LogImage | undefined> {
    const reader = await this.#input.store.read(id);
    if (!reader) return undefined;
    try {
      const image = await readLog(reader);
      for (const { from, to, reason } of reader.damage)
        this.#input.findings.add('lost', `commits ${from} to ${to} of ${id}`, reason);
      return image;
    } finally {
      await reader.close();
    }
  }

  async #reopen(id: string): Promise<void> {
    const { store, mirror } = this.#input;
    const journal = await store.open(id, { create: 'never', owner: 'crash harness' });
    try {
      await mirror?.complete(id);
    } finally {
      await journal.close();
    }
  }
}
