import { basename } from 'node:path';
import type { Finding } from '@conv/core/store';
import { listEpochs, epochPath, type ConversationPath } from '../disk/conversation-path.ts';
import type { Disk } from '../disk/disk.ts';
import { setAside } from './foreign-events.ts';
import { errorCode, ifThere, isMissing } from '../disk/from-fs-error.ts';

/** An obstacle: anything but the expected kind in the place of a file or folder of a conversation (decision 68). */
export interface Obstacle {
  readonly path: string;
  readonly finding: Finding;
}

/** Words for what may be in the place of something else. */
export const KINDS = {
  file: 'a file',
  folder: 'a folder',
  other: 'a FIFO, socket or device',
  loop: 'a link that leads to itself',
} as const;

/** Finds a folder, FIFO or the like in place of each file but those of events, and a file in place of their folder. */
export function obstaclesIn(disk: Disk, path: ConversationPath): readonly Obstacle[] {
  const inPlaceOf = (part: string, file: string): readonly Obstacle[] => obstacle(disk, file, part, 'file');
  return [
    ...(ifThere(() => listEpochs(disk, path)) ?? []).flatMap((epoch) => inPlaceOf('log', epochPath(path, epoch))),
    ...inPlaceOf('owner', path.owner),
    ...inPlaceOf('owner', path.lease),
    ...inPlaceOf('index', path.index),
    ...inPlaceOf('snapshot', path.snapshot),
    ...inPlaceOf('log', path.restored),
    ...inPlaceOf('summary', path.baseState),
    ...inPlaceOf('summary', path.meta),
    ...obstacle(disk, path.events, 'event file', 'folder'),
  ];
}

/** Puts obstacles into `.conv/foreign`, so that what belongs there can be written. */
export function clearObstacles(disk: Disk, path: ConversationPath, obstacles: readonly Obstacle[]): void {
  for (const each of obstacles) setAside(disk, path, each.path);
}

/** Returns the kind of an obstacle in place of a file; `undefined` for a file, a link to somewhere or nothing. */
export function obstacleKind(disk: Disk, file: string): string | undefined {
  const kind = kindOf(disk, file);
  return kind === undefined || kind === 'file' ? undefined : KINDS[kind];
}

function obstacle(disk: Disk, file: string, part: string, expected: 'file' | 'folder'): readonly Obstacle[] {
  const kind = kindOf(disk, file);
  if (kind === undefined || kind === expected) return [];
  const message = `${basename(file)}: expected ${KINDS[expected]}, found ${KINDS[kind]}`;
  return [{ path: file, finding: { part, severity: 'damaged', message, repaired: false } }];
}

/** Returns the kind of a path; `undefined` for nothing, and for a link to somewhere, which is followed, or refused with a reason of its own. */
function kindOf(disk: Disk, file: string): keyof typeof KINDS | undefined {
  const kind = ifThere(() => disk.stat(file))?.kind;
  if (kind !== 'link') return kind;
  try {
    disk.resolve(file);
    return undefined;
  } catch (error) {
    if (errorCode(error) === 'ELOOP') return 'loop';
    if (isMissing(error)) return undefined;
    throw error;
  }
}
