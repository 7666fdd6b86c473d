import { listEpochs, epochPath, type ConversationPath } from '../disk/conversation-path.ts';
import type { Disk } from '../disk/disk.ts';
import { readEpochStart, type FoundEpoch } from './epoch-file.ts';
import { isMisplaced } from './misplaced.ts';
import { withFile } from '../disk/whole-file.ts';
import { scanFrames } from './scan.ts';

/** The stretch of one epoch's file that belongs to the log. */
export interface Part {
  readonly epoch: number;
  readonly body: number;
  /** The end: the place of its successor's seal, or the durable end of the newest epoch. */
  readonly end: number;
  /** The numbers of its first commit and first event. If its start is damaged, they come from its first frame. */
  readonly seq: number;
  readonly event: number;
  /** The time when its file was made, which tells files of one name apart; `undefined` if its start is damaged. */
  readonly createdAt: string | undefined;
}

/** Opens the file of an epoch, hands it to `use` and closes it. `undefined` when it is not there. */
export function withEpochFile<Value>(
  disk: Disk,
  path: ConversationPath,
  epoch: number,
  use: (file: number) => Value,
): Value | undefined {
  return withFile(disk, epochPath(path, epoch), use);
}

/** The newest epoch below `before` that is neither void nor of another log. */
export function newestEpoch(disk: Disk, path: ConversationPath, before: number = Infinity): FoundEpoch | undefined {
  for (const epoch of listEpochs(disk, path)) {
    if (epoch >= before) continue;
    const found = withEpochFile(disk, path, epoch, (file) => ownEpoch(disk, path, file, epoch));
    if (found) return found;
  }
  return undefined;
}

/** Returns the beginning of an epoch's file, unless it is a file of another log (decision 78). */
function ownEpoch(disk: Disk, path: ConversationPath, file: number, epoch: number): FoundEpoch | undefined {
  const found = readEpochStart(disk, file, epoch);
  return found && !isMisplaced(disk, path, file, found) ? found : undefined;
}

/** The epochs of a log whose files are there, and are files of another log. */
export function misplacedEpochs(disk: Disk, path: ConversationPath): readonly number[] {
  return listEpochs(disk, path).filter(
    (epoch) =>
      withEpochFile(disk, path, epoch, (file) => {
        const own = readEpochStart(disk, file, epoch);
        return own ? isMisplaced(disk, path, file, own) : holdsEpoch(disk, file);
      }) === true,
  );
}

/** True if a file begins with a whole frame. */
function holdsEpoch(disk: Disk, file: number): boolean {
  for (const { header } of scanFrames(disk, file, 0, disk.size(file))) if (header) return true;
  return false;
}

/** The epochs of one log, from the newest back as far as asked. */
export class Chain {
  readonly #disk: Disk;
  readonly #path: ConversationPath;
  /** Oldest first. */
  #parts: Part[];
  #next: { readonly prev: number | null; readonly sealedAt: number } | undefined;

  /** `end`: of the newest epoch's file, for this reader. `first`: the numbers to take if its start is damaged. */
  constructor(
    disk: Disk,
    path: ConversationPath,
    newest: FoundEpoch,
    end: number,
    first: { seq: number; event: number },
  ) {
    this.#disk = disk;
    this.#path = path;
    this.#parts = [part(newest, end, newest.start ?? first)];
    this.#next = before(disk, path, newest);
  }

  /** The newest part, with its present end. */
  get newest(): Part {
    return this.#parts.at(-1) as Part;
  }

  /** True if this log continues `other`, which was seen earlier. False if it only has the name of a deleted log. */
  continues({ newest: known }: Chain): boolean {
    if (this.newest.epoch < known.epoch) return false;
    const [same] = this.from(({ epoch }) => epoch <= known.epoch);
    return same?.epoch !== known.epoch || isSameFile(same.createdAt, known.createdAt);
  }

  /** Moves the end of the newest part. */
  extend(end: number): void {
    this.#parts[this.#parts.length - 1] = { ...this.newest, end };
  }

  /** Returns the newest parts, oldest first, back to the part that `holds` accepts; all parts if it accepts none. */
  from(holds: (part: Part) => boolean): readonly Part[] {
    for (let at = this.#parts.length - 1; ; at--) {
      if (at < 0) {
        if (!this.#loadOlder()) return this.#parts;
        at = 0;
      }
      if (holds(this.#parts[at] as Part)) return this.#parts.slice(at);
    }
  }

  #loadOlder(): boolean {
    const next = this.#next;
    if (!next || next.prev === null) return false;
    const oldest = this.#parts[0] as Part;
    const epoch = next.prev;
    const loaded = withEpochFile(this.#disk, this.#path, epoch, (file) => {
      const found = ownEpoch(this.#disk, this.#path, file, epoch);
      if (!found) return undefined;
      const size = this.#disk.size(file);
      return { found, part: part(found, Math.min(next.sealedAt, size), found.start ?? { seq: 0, event: 0 }) };
    });
    // A part whose start is damaged begins at its first whole frame. A part without any is taken to begin with its
    // successor.
    if (!loaded) {
      const found = newestEpoch(this.#disk, this.#path, epoch);
      this.#next = found && { prev: found.epoch, sealedAt: Infinity };
      return this.#next !== undefined && this.#loadOlder();
    }
    this.#next = before(this.#disk, this.#path, loaded.found);
    const start = loaded.found.start ? loaded.part : { ...loaded.part, ...this.#firstNumbers(loaded.part, oldest) };
    this.#parts.unshift(start);
    return true;
  }

  #firstNumbers(of: Part, successor: Part): { seq: number; event: number } {
    const first = withEpochFile(this.#disk, this.#path, of.epoch, (file) => firstCommit(this.#disk, file, of));
    return first ?? { seq: successor.seq, event: successor.event };
  }
}

function part({ epoch, body, start }: FoundEpoch, end: number, first: { seq: number; event: number }): Part {
  return { epoch, body, end: Math.max(body, end), seq: first.seq, event: first.event, createdAt: start?.createdAt };
}

/** True unless an open file is known to be another file than that of `part`, under the same name. */
export function holdsPart(disk: Disk, file: number, { epoch, createdAt }: Part): boolean {
  return isSameFile(readEpochStart(disk, file, epoch)?.start?.createdAt, createdAt);
}

function isSameFile(found: string | undefined, known: string | undefined): boolean {
  return found === undefined || known === undefined || found === known;
}

/**
 * Returns the epoch that an epoch continues, and where it is sealed. Without a start: the next lower epoch, read as far
 * as its commits are older.
 */
function before(disk: Disk, path: ConversationPath, found: FoundEpoch): { prev: number | null; sealedAt: number } {
  if (found.start) return found.start;
  return { prev: newestEpoch(disk, path, found.epoch)?.epoch ?? null, sealedAt: Infinity };
}

/** The numbers of the first whole commit of a part. */
export function firstCommit(
  disk: Disk,
  file: number,
  { body, end = Infinity }: { body: number; end?: number },
): { seq: number; event: number } | undefined {
  for (const item of scanFrames(disk, file, body, end)) {
    if (item.header?.kind === 'commit') return { seq: item.header.seq, event: item.header.firstEvent };
  }
  return undefined;
}
