import { basename } from 'node:path';
import type { JsonObject, StateFields } from '@conv/core';
import { fromBaseState, fromMeta } from '@conv/openhands/folder';
import type { ConversationPath } from '../disk/conversation-path.ts';
import type { Disk } from '../disk/disk.ts';
import type { Report } from '../disk/finding.ts';
import { strangeId } from './foreign-id.ts';
import { readJsonObject } from '../disk/json-file.ts';
import { isDamaged, isDamagedMeta, metaCrc, validMark } from '../mirror/mirror-state.ts';

/** The state files as found. */
export interface ForeignState {
  /** Whether there are any. */
  readonly files: boolean;
  readonly base: JsonObject | undefined;
  readonly meta: JsonObject | undefined;
  readonly baseIsForeign: boolean;
  readonly metaIsForeign: boolean;
  /** The files are ours, and there was a log. */
  readonly logIsLost: boolean;
}

/** A folder and how it was found. */
export interface ForeignPlace {
  readonly disk: Disk;
  readonly path: ConversationPath;
  /** Nothing of a log can be read. */
  readonly begun: boolean;
  /** Called with the path of a file that is no part of the log and would be taken for one. */
  readonly reject: (file: string) => void;
  readonly report: Report;
}

/** The state files. Without a log they are all there is, whoever wrote them; one of another conversation is set aside. */
export function foreignState(place: ForeignPlace): ForeignState {
  const { disk, path, begun: alone } = place;
  const base = ownObject(place, path.baseState);
  const meta = ownObject(place, path.meta);
  const mark = base && validMark(base);
  return {
    files: disk.stat(path.baseState) !== undefined || disk.stat(path.meta) !== undefined,
    base,
    meta,
    // of files of ours that are damaged nothing is taken over
    baseIsForeign: base !== undefined && (alone || (mark === undefined && !isDamaged(base))),
    metaIsForeign: meta !== undefined && !isDamagedMeta(meta) && (alone || mark?.meta !== metaCrc(meta)),
    logIsLost: alone && base !== undefined && (mark !== undefined || isDamaged(base)),
  };
}

/** The content of a state file, unless OpenHands wrote it for another conversation. */
function ownObject({ disk, path, reject, report }: ForeignPlace, file: string): JsonObject | undefined {
  const found = readJsonObject(disk, file);
  // our own files have this member
  const other = found && found['conv'] === undefined ? strangeId(path, found) : undefined;
  if (other === undefined) return found;
  const reason = `${basename(file)} is the one of conversation ${other}; nothing is taken over from it`;
  report({ kind: 'misfit', conversationId: path.id, reason });
  reject(file);
  return undefined;
}

/** The state in foreign files. */
export function statedFields({ base, meta, baseIsForeign, metaIsForeign }: ForeignState): Partial<StateFields> {
  // of a file of ours also what OpenHands has no member for
  const { damaged: _, damage: _spans, ...limits } = (base && validMark(base)?.limits) ?? {};
  const ofBase = base && baseIsForeign ? { ...fromBaseState(base), ...limits } : {};
  const ofMeta = meta && metaIsForeign ? fromMeta(meta) : {};
  const baseState = ofBase.extra?.baseState ?? {};
  const extra = ofBase.extra || ofMeta.extra ? { extra: { baseState, meta: ofMeta.extra?.meta ?? {} } } : {};
  return { ...ofBase, ...ofMeta, ...extra };
}

/** The settings that keep a conversation safe, with their places in `base_state.json`. */
const SAFEGUARDS: readonly (readonly [keyof StateFields, string])[] = [
  ['confirmationPolicy', 'confirmation_policy'],
  ['securityAnalyzer', 'security_analyzer'],
  ['hookConfig', 'hook_config'],
  ['maxIterations', 'max_iterations'],
  ['stuckDetection', 'stuck_detection'],
];

/** A writer that leaves a safeguard out, because it does not know it or leaves out nulls, has not taken it away (P4). */
export function withoutUnsaid(stated: Partial<StateFields>, base: JsonObject | undefined): Partial<StateFields> {
  const unsaid = new Set<string>(SAFEGUARDS.filter(([, name]) => !(base && name in base)).map(([field]) => field));
  return Object.fromEntries(Object.entries(stated).filter(([field]) => !unsaid.has(field)));
}
