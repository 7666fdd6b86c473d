import { ifThere } from './from-fs-error.ts';
import { join, relative, isAbsolute } from 'node:path';
import { StoreError, toConversationId, toConversationKey } from '@conv/core/store';
import type { Disk } from './disk.ts';

/** The paths of the parts of one conversation. */
export interface ConversationPath {
  /** The id, a dashed UUID. */
  readonly id: string;
  /** The folder's name, 32 hex digits. */
  readonly key: string;
  /** The folder that holds all conversations. */
  readonly root: string;
  readonly folder: string;
  readonly log: string;
  readonly events: string;
  readonly owner: string;
  readonly index: string;
  readonly snapshot: string;
  readonly restored: string;
  readonly baseState: string;
  readonly meta: string;
  readonly lease: string;
}

/** The paths of a conversation. Throws `INVALID_ID` for an id that is not a UUID, so that no id can name a place elsewhere. */
export function conversationPath(root: string, id: string): ConversationPath {
  return pathsIn(root, toConversationId(id), join(root, toConversationKey(id)));
}

/** Returns the paths of a conversation in another folder, where a fork is made before it gets its name. */
export function pathsIn(root: string, id: string, folder: string): ConversationPath {
  return new Paths(root, id, folder);
}

/** Makes each path when it is asked for: an open conversation keeps its paths, and all of them are more than a kilobyte. */
class Paths implements ConversationPath {
  readonly root: string;
  readonly id: string;
  readonly folder: string;

  constructor(root: string, id: string, folder: string) {
    this.root = root;
    this.id = id;
    this.folder = folder;
  }

  get key(): string {
    return toConversationKey(this.id);
  }

  get log(): string {
    return join(this.folder, '.conv');
  }

  get events(): string {
    return join(this.folder, 'events');
  }

  get owner(): string {
    return join(this.log, 'owner.json');
  }

  get index(): string {
    return join(this.log, 'index');
  }

  get snapshot(): string {
    return join(this.log, 'snapshot');
  }

  get restored(): string {
    return join(this.log, 'restored');
  }

  get baseState(): string {
    return join(this.folder, 'base_state.json');
  }

  get meta(): string {
    return join(this.folder, 'meta.json');
  }

  get lease(): string {
    return join(this.folder, 'owner_lease.json');
  }
}

export function epochPath(path: ConversationPath, epoch: number): string {
  return join(path.log, `epoch-${String(epoch).padStart(8, '0')}.wal`);
}

/** The epoch that a file name stands for; `undefined` for other names. */
function parseEpochName(name: string): number | undefined {
  const match = /^epoch-(\d{8,})\.wal$/.exec(name);
  return match ? Number(match[1]) : undefined;
}

/** Throws `DENIED` when a symbolic link leads the conversation out of its store, where others may hold the same folder. */
export function refuseEscape(disk: Disk, path: ConversationPath): void {
  for (const place of [path.folder, path.log, path.events]) {
    if (disk.stat(place)?.kind !== 'link') continue;
    const inside = relative(disk.resolve(path.root), disk.resolve(place));
    if (inside === '' || inside.startsWith('..') || isAbsolute(inside) || place !== path.folder) {
      throw new StoreError(
        'DENIED',
        `conversation ${path.id}: ${place} is a link that leads elsewhere; put the folder itself there`,
      );
    }
  }
}

/** The epochs in a log folder, newest first. No folder has none; every other failure throws. */
export function listEpochs(disk: Disk, path: ConversationPath): number[] {
  const names = ifThere(() => disk.list(path.log)) ?? [];
  return names
    .map(parseEpochName)
    .filter((epoch) => epoch !== undefined)
    .sort((a, b) => b - a);
}
