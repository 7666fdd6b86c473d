import { projections, type StateFields } from '@conv/core';
import { toCommitSeq, type NewCommit } from '@conv/core/store';
import { isoNow } from '@conv/core/platform';
import type { OpenHandsMirror, MirroredState, MirrorEvent } from '../mirror/openhands-mirror.ts';
import type { ConversationPath } from '../disk/conversation-path.ts';
import type { Disk } from '../disk/disk.ts';
import { eventsFromLog } from '../log/events-from-log.ts';
import { fenced } from '../disk/fenced.ts';
import type { Report } from '../disk/finding.ts';
import type { OwnerRecord } from '../log/owner-file.ts';
import type { Ownership } from '../ownership/ownership.ts';
import type { FsReader } from '../log/reader.ts';
import { holdsOwnFiles } from '../mirror/event-files.ts';
import type { IndexFile } from '../log/index-file.ts';
import { MirrorRepair } from '../mirror/mirror-repair.ts';
import { isGuarded } from '../mirror/mirror-state.ts';
import { MirrorWriter, type MirrorMode } from '../mirror/mirror-writer.ts';

export interface JournalMirrorDeps {
  readonly disk: Disk;
  readonly path: ConversationPath;
  readonly ownership: Ownership;
  readonly mirror: OpenHandsMirror;
  /** The number of commits that `base_state.json` shows; -1 if that is not known. */
  readonly mirroredSeq: number;
  /**
   * The change time of the folder of event files when it last held no foreign files; `null` if it was not looked at, or if a later change
   * may have given it the same time.
   */
  readonly eventsModified: number | null;
  readonly index: IndexFile;
  readonly mirrorMode: MirrorMode;
  readonly report: Report;
}

/** Makes the files for OpenHands follow the commits of one journal, and reads their contents from it. */
export class JournalMirror {
  readonly #parts: JournalMirrorDeps;
  readonly #log: FsReader;
  readonly #writer: MirrorWriter;
  /** `undefined` until the files may be written. */
  #repair: MirrorRepair | undefined;
  /** The state after the last durable commit; `undefined` when only the log can tell. */
  #after: MirroredState | undefined;

  constructor(parts: JournalMirrorDeps, log: FsReader) {
    this.#parts = parts;
    this.#log = log;
    const { ownership, path, report } = parts;
    const source: ConstructorParameters<typeof MirrorWriter>[1] = {
      end: () => log.end,
      eventsFromLog: (from, to) => eventsFromLog(log, from, to),
      state: () => this.#state(),
      owns: () => this.#repair !== undefined && ownership.held && !ownership.log.isFenced(),
      failed: (error) => report({ kind: 'mirrorFailed', conversationId: path.id, error }),
    };
    this.#writer = new MirrorWriter(parts.mirror, source, parts.mirrorMode, parts.mirroredSeq);
  }

  /** The state at the durable end; `undefined` when only the log can tell. */
  get fields(): StateFields | undefined {
    return this.#after?.fields;
  }

  /** The files of all events before this one are known to be there. */
  get viewedEvents(): number {
    if (!this.#repair) return 0;
    return this.#repair.complete ? this.#parts.mirror.events : this.#repair.reached;
  }

  /**
   * Begins to write the files, which stay as they are until then. Event files before `repairFrom` are known to be
   * there. The others are looked at in the background.
   */
  start(repairFrom: number): void {
    const { ownership } = this.#parts;
    const events = (from: number, to: number): AsyncIterable<MirrorEvent> => eventsFromLog(this.#log, from, to);
    this.#repair = new MirrorRepair(this.#writer, events, repairFrom, this.#log.end.event, () => ownership.held);
  }

  /**
   * Takes in commits that became durable. Resolves when they may be acknowledged: a guarded commit waits until the
   * files show it, or could not be written. `after`: the state after the commits, if it is known. Rejects `FENCED`.
   */
  async follow(
    commits: readonly NewCommit[],
    events: readonly MirrorEvent[],
    after: StateFields | undefined,
    epoch: number,
  ): Promise<void> {
    const updatedAt = isoNow(this.#parts.disk.platform);
    this.#after = after && { fields: after, seq: this.#log.end.seq, epoch, updatedAt };
    this.#writer.add(events);
    const guarded = commits.filter(({ patch }) => isGuarded(patch));
    if (guarded.length === 0) {
      // If this process dies, other processes find the run by the list alone.
      if (commits.some(beginsRun)) void this.#writer.finish();
      return;
    }
    await this.#writer.writeNow(guarded.some(movesHead));
    // The fence: the files may be a successor's by now, and may not show these commits.
    if (this.#parts.ownership.log.isFenced()) throw fenced(this.#parts.path);
  }

  /**
   * Makes `base_state.json` show the settings in the log. The previous owner may have had no time to, or may have put
   * an older file there late.
   */
  async showSettings(): Promise<void> {
    const { mirroredSeq } = this.#parts;
    if (mirroredSeq < 0 && this.#log.end.seq > 0) return this.#writer.writeNow(false);
    const from = toCommitSeq(Math.max(0, mirroredSeq));
    for await (const { patch } of this.#log.commits({ from }))
      if (isGuarded(patch)) return this.#writer.writeNow(false);
    // A lost commit makes the rules stricter without a patch that says so (decision 27).
    if (this.#log.damage.length > 0) await this.#writer.writeNow(false);
  }

  /** Resolves when appends need not wait for the files. */
  keepUp(): Promise<void> {
    return this.#writer.keepUp();
  }

  /** Resolves when the files show everything that was durable at the time of the call, or could not be written. */
  async complete(): Promise<void> {
    await this.#repair?.done;
    await this.#writer.finish();
  }

  /** Writes what is missing, and nothing from then on. Resolves with the facts that the owner leaves in its record. */
  async end(): Promise<Pick<OwnerRecord, 'viewedEvents' | 'eventsModified'>> {
    await this.#repair?.done;
    if (this.#parts.ownership.held) await this.#writer.finish();
    await this.#writer.stop();
    const { viewedEvents } = this;
    return { viewedEvents, eventsModified: await this.#verified(viewedEvents) };
  }

  /** Resolves with the time of change of the folder of event files if it holds one for each event alone; else `null`. */
  async #verified(viewedEvents: number): Promise<number | null> {
    const { disk, path, ownership, eventsModified, index } = this.#parts;
    const before = disk.stat(path.events)?.modified;
    if (before === undefined || viewedEvents !== this.#log.end.event || !ownership.held) return null;
    if (before === eventsModified) return before;
    const isOurs = await holdsOwnFiles(disk, path, viewedEvents, () => index.matcher(viewedEvents));
    return isOurs && disk.stat(path.events)?.modified === before ? before : null;
  }

  async #state(): Promise<MirroredState> {
    if (this.#after) return this.#after;
    // After lost commits the state is as strict as every known copy of it (decision 27).
    const { fields, end } = await projections.readState(this.#log);
    const { epoch } = this.#parts.ownership.log;
    const folded = { fields, seq: end.seq, epoch, updatedAt: isoNow(this.#parts.disk.platform) };
    if (end.seq === this.#log.end.seq) this.#after ??= folded;
    return this.#after ?? folded;
  }
}

function beginsRun({ patch }: NewCommit): boolean {
  return patch?.set?.executionStatus === 'running';
}

/** Returns true if a commit moves HEAD to an event that was there before it. */
function movesHead({ patch, events }: NewCommit): boolean {
  return typeof patch?.set?.leafEventId === 'string' && events.length === 0;
}
