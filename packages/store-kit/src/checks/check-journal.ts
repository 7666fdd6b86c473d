import { errorText, projections, type StateFields } from '@conv/core';
import {
  toCommitSeq,
  toConversationId,
  type CheckOptions,
  type CheckResult,
  type Commit,
  type ConversationStore,
  type Damage,
  type EventIndex,
  type Finding,
  type JournalReader,
} from '@conv/core/store';

import { isOnRecord, recordedIn } from '../records/damage-spans.ts';
import { notInStore } from '../store/store-errors.ts';

/** The number of commits between two checks of the signal, and between two progress reports. */
const STEP = 64;

/**
 * Checks a conversation by reading it: every commit, whether their numbers follow one another, and whether each event is located where
 * it is. Repairs nothing, so a store without second copies has its whole `check` in this function.
 *
 * @example
 * ```ts
 * check(id: string | undefined, options?: CheckOptions): Promise<CheckResult> {
 *   return checkByReading(this, id, options);
 * }
 * ```
 */
export async function checkByReading(
  store: Pick<ConversationStore, 'read'>,
  id: string | undefined,
  options: Omit<CheckOptions, 'repair'> = {},
): Promise<CheckResult> {
  options.signal?.throwIfAborted();
  if (id === undefined) return { commits: 0, events: 0, findings: [] };
  const key = toConversationId(id);
  const reader = await store.read(key);
  if (!reader) throw notInStore(key);
  try {
    return await checkJournal(reader, options);
  } finally {
    await reader.close();
  }
}

/** Checks what a reader gives out, as {@link checkByReading} does. Leaves the reader open. */
export async function checkJournal(
  reader: JournalReader,
  options: Omit<CheckOptions, 'repair'> = {},
): Promise<CheckResult> {
  const findings: Finding[] = [];
  const seen = new Set<string>();
  const result = await checkCommits(reader, options, async ({ events, firstEvent }) => {
    for (const [at, { id }] of events.entries()) {
      if (seen.has(id)) continue;
      seen.add(id);
      findings.push(...(await mislocated(reader, id, (firstEvent + at) as EventIndex)));
    }
  });
  try {
    await reader.snapshot();
  } catch (error) {
    findings.push(finding('snapshot', 'damaged', errorText(error)));
  }
  return { ...result, findings: [...result.findings, ...findings] };
}

/**
 * Reads every commit of a log. Names what is lost, which numbers do not follow one another, and settings that may be lost and are
 * not confirmed yet. Calls `visit` in order with each commit that reads back and the state after it, so that a store can compare
 * its index or summary.
 */
export async function checkCommits(
  reader: JournalReader,
  { signal, onProgress }: Omit<CheckOptions, 'repair'>,
  visit: (commit: Commit, fields: StateFields) => void | Promise<void>,
): Promise<CheckResult> {
  const walk = new Walk(reader);
  const of = reader.end.seq;
  let state = projections.empty;
  for await (const commit of reader.commits()) {
    walk.take(commit);
    state = await projections.foldCommit(reader, state, commit);
    await visit(commit, state.fields);
    if (walk.commits % STEP !== 0) continue;
    signal?.throwIfAborted();
    onProgress?.({ done: walk.commits, of });
  }
  signal?.throwIfAborted();
  walk.end(of);
  onProgress?.({ done: of, of });
  const { commits, events, recorded, missing } = walk;
  // A copy has commits in the place of lost ones, which record the loss themselves.
  const copied = walk.replaced.filter((span) => !isOnRecord(reader.damage, span));
  const spans = [...reader.damage, ...copied].map((span) => {
    const restored = walk.restoredOf(span);
    return lostSpan({ ...span, restored }, isOnRecord(recorded, span));
  });
  const gaps = missing.map((span) => loss(`${commitsOf(span)} not there`, isOnRecord(recorded, span)));
  const isWhole = spans.length === 0 && gaps.length === 0;
  const settings = isWhole ? unconfirmed(state.fields) : [];
  return { commits, events, findings: [...spans, ...gaps, ...walk.findings, ...settings] };
}

/** Follows the commits of a log and notes gaps and wrong numbers. */
class Walk {
  commits = 0;
  events = 0;
  readonly findings: Finding[] = [];
  /** The losses that the log records. */
  readonly recorded: Damage[] = [];
  /** The recorded losses in whose place a commit stands. */
  readonly replaced: Damage[] = [];
  /** Gaps that the reader does not know of. */
  readonly missing: Pick<Damage, 'from' | 'to'>[] = [];
  readonly #reader: JournalReader;
  /** The stretches of events that were read, in order. */
  readonly #there: { readonly from: number; to: number }[] = [];
  #nextSeq = 0;
  #nextEvent = 0;

  constructor(reader: JournalReader) {
    this.#reader = reader;
  }

  take(commit: Commit): void {
    this.commits++;
    this.events += commit.events.length;
    for (const span of recordedIn(commit)) {
      this.recorded.push(span);
      const isReplaced = span.from <= commit.seq && commit.seq <= span.to;
      if (isReplaced && !isOnRecord(this.replaced, span)) this.replaced.push(span);
    }
    // After a gap the number of the next event is unknown, so the number in the commit is accepted.
    const follows = this.#pass(commit.seq);
    if (follows && commit.firstEvent !== this.#nextEvent && !this.#isBesideLostEvents(commit)) {
      const message = `commit ${commit.seq} begins with event ${commit.firstEvent} instead of ${this.#nextEvent}`;
      this.findings.push(finding('log', 'damaged', message));
    }
    this.#nextSeq = commit.seq + 1;
    this.#nextEvent = commit.firstEvent + commit.events.length;
    const before = this.#there.at(-1);
    if (before?.to === commit.firstEvent) before.to = this.#nextEvent;
    else this.#there.push({ from: commit.firstEvent, to: this.#nextEvent });
  }

  /** True if events in front of a commit are lost, because it or the one before holds what is left of a damaged commit. */
  #isBesideLostEvents({ seq, firstEvent }: Commit): boolean {
    const isAtDamage = this.#reader.damage.some(({ from, to }) => from <= seq && seq <= to + 1);
    return isAtDamage && firstEvent > this.#nextEvent;
  }

  #isThere(event: number): boolean {
    return this.#there.some(({ from, to }) => from <= event && event < to);
  }

  end(seq: number): void {
    this.#pass(seq);
  }

  /**
   * Returns the events of a lost span that are there. The events of a log that was lost as a whole are after the span, in
   * other commits: only the record of the loss tells which they are.
   */
  restoredOf({ from, to, restored }: Damage): readonly EventIndex[] {
    const records = this.recorded.filter((span) => span.from === from && span.to === to);
    const known = records.flatMap((span) => span.restored).filter((event) => this.#isThere(event));
    return [...new Set([...restored, ...known])].toSorted((a, b) => a - b);
  }

  /** True if the commit of this number is the next. A gap that the reader does not know of is noted. */
  #pass(seq: number): boolean {
    const from = this.#nextSeq;
    if (seq === from) return true;
    const gap = { from: toCommitSeq(from), to: toCommitSeq(seq - 1) };
    if (!isOnRecord(this.#reader.damage, gap)) this.missing.push(gap);
    return false;
  }
}

/** Resolves with the findings about the location of an event. */
async function mislocated(reader: JournalReader, id: string, index: EventIndex): Promise<readonly Finding[]> {
  const found = await reader.locate(id);
  // The first event of this id may lie in a gap.
  const isEarlier = found !== undefined && found < index && reader.damage.length > 0;
  if (found === index || isEarlier) return [];
  return [finding('index', 'damaged', `event ${id} is number ${index} and is located ${found ?? 'nowhere'}`)];
}

function finding(part: string, severity: Finding['severity'], message: string): Finding {
  return { part, severity, message, repaired: false };
}

/** Finds settings that may be lost although every commit is there: the state distrusts them until a person has confirmed them. */
function unconfirmed({ damaged, damage }: StateFields): readonly Finding[] {
  if (!damaged || damage.length > 0) return [];
  return [finding('summary', 'known', 'settings may be lost: check these, and confirm them')];
}

/** Returns the finding of a lost span. */
function lostSpan({ from, to, reason, restored }: Damage, isKnown: boolean): Finding {
  const which = from === to ? `commit ${from}` : `commits ${from} to ${to}`;
  const events = restored.length === 1 ? `event ${restored[0]} was` : `events ${restored.join(', ')} were`;
  const saved = restored.length === 0 ? '' : `; ${events} restored from another copy`;
  return loss(`${which} cannot be read: ${reason}${saved}`, isKnown);
}

function loss(message: string, isKnown: boolean): Finding {
  return isKnown ? finding('log', 'known', `${message}; the log records this loss`) : finding('log', 'lost', message);
}

function commitsOf({ from, to }: Pick<Damage, 'from' | 'to'>): string {
  return from === to ? `commit ${from} is` : `commits ${from} to ${to} are`;
}
