import { isConversationError } from '../contract/errors/conversation-error.ts';
import { type Event } from '../events/index.ts';
import { agentError } from '../events/tool-call-drafts.ts';
import type { JournalReader } from '../contract/store/conversation-store.ts';
import type { Damage } from '../contract/state/log-position.ts';
import type { OpenCall } from './fold/branch.ts';
import type { CommitPipeline } from './commit-pipeline.ts';
import { unrecorded } from './fold/damage-record.ts';
import type { FifoLock } from './lock.ts';
import type { StatePatch } from '../contract/state/patch.ts';
import { readAround } from './fold/read-state.ts';
import type { Transaction } from './transaction.ts';
import type { Platform } from '../platform/platform.ts';
import { warn } from '../platform/warn.ts';

/** The result that the model reads for a call whose result was lost. */
const RESULT_LOST =
  'The result of this tool call was lost, because the stored conversation is damaged. The outcome is unknown: the call may have run in full, in part, or not at all. Check before repeating it.';

/** The parts of a state that a {@link DamageRecorder} works with. */
export interface DamageRecorderParts {
  readonly platform: Platform;
  readonly reader: JournalReader;
  readonly lock: FifoLock;
  readonly pipeline: CommitPipeline;
  readonly transaction: (work: (transaction: Transaction) => Promise<void>) => Promise<void>;
}

/**
 * Records damage (P4, P5). One commit states the settings again, under AlwaysConfirm: the strictest of all known settings. The
 * next commit gives each call whose result may be lost a result that says so.
 */
export class DamageRecorder {
  readonly #parts: DamageRecorderParts;
  #due = false;
  #work: Promise<void> | undefined;

  constructor(parts: DamageRecorderParts) {
    this.#parts = parts;
  }

  /** Notes that a read found damage, and records it as soon as the lock is free. */
  found(): void {
    this.#due = true;
    void this.settled();
  }

  /** Resolves when all damage found so far is recorded. A failure to store leaves the strict state in memory. */
  settled(): Promise<void> {
    if (this.#due) this.#work ??= this.#read().finally(() => (this.#work = undefined));
    return this.#work ?? Promise.resolve();
  }

  /** Records the damage that opening found; the state already knows it. */
  async record(found: readonly Damage[]): Promise<void> {
    await this.#restated(async () => found);
  }

  async #read(): Promise<void> {
    this.#due = false;
    const { reader, pipeline } = this.#parts;
    try {
      await this.#restated(async () => {
        await pipeline.settled();
        const { end, fields } = pipeline.accepted;
        if (unrecorded(reader.damage, fields.damage).length === 0) return [];
        const { projection, found } = await readAround(reader, { known: { seq: end.seq, fields } });
        pipeline.replace(projection);
        return found;
      });
    } catch (error) {
      // The damage was found inside a transaction; the end of that transaction records it.
      if (isConversationError(error, 'DEADLOCK')) this.#due = true;
      // The next owner reads the damage in any case.
      else if (!isConversationError(error, 'READ_ONLY') && !isConversationError(error, 'CLOSED'))
        warn(error, 'DamageWarning');
    }
  }

  /**
   * States the settings again, for the damage that `look` finds while the lock is held. A crash right after it leaves calls that
   * count as started, which get the same result when the conversation is opened.
   */
  async #restated(look: () => Promise<readonly Damage[]>): Promise<void> {
    const { reader, lock, pipeline, platform, transaction } = this.#parts;
    let calls: readonly OpenCall[] = [];
    let stored: Promise<void> | undefined;
    await lock.run(async () => {
      const found = await look();
      if (found.length === 0) return;
      const { fields, branch } = pipeline.accepted;
      calls = await callsBefore(reader, found, [...branch.open.values()]);
      const started = Object.fromEntries(calls.map(({ event }) => [event.id, 'started' as const]));
      const patch: StatePatch = { set: { ...fields, calls: { ...fields.calls, ...started } } };
      stored = pipeline.accept({ id: platform.id(), events: [], patch }, () => branch);
    });
    await stored;
    if (calls.length > 0) await transaction((within) => answer(within, calls));
  }
}

/** Returns the open calls before damage, because their results may have been in it. */
async function callsBefore(
  reader: JournalReader,
  found: readonly Damage[],
  open: readonly OpenCall[],
): Promise<readonly OpenCall[]> {
  const last = Math.max(...found.map(({ to }) => to));
  const before: OpenCall[] = [];
  for (const call of open) {
    for await (const { seq } of reader.commits({ fromEvent: call.index })) {
      if (seq < last) before.push(call);
      break;
    }
  }
  return before;
}

async function answer(transaction: Transaction, calls: readonly OpenCall[]): Promise<void> {
  const open = new Set(transaction.openActions.map(({ id }: Event) => id));
  const classification = { kind: 'internal', retryable: false, user_action: 'none' } as const;
  for (const { event } of calls)
    if (open.has(event.id)) await transaction.append(agentError(event, RESULT_LOST, classification));
}
