import { basename } from 'node:path';
import type { JsonObject, StateFields } from '@conv/core';
import { fromBaseState, fromMeta } from '@conv/openhands/folder';
import type { ConversationPath } from '../disk/conversation-path.ts';
import type { Disk } from '../disk/disk.ts';
import type { Report } from '../disk/finding.ts';
import { otherConversation } from '../log/own-state-files.ts';
import { readJsonObject } from '../disk/json-file.ts';
import { isDamaged, isDamagedMeta, metaCrc, validMark } from '../mirror/mirror-state.ts';

/** The state files as found. */
export interface ForeignState {
  /** True if a state file is there. */
  readonly files: boolean;
  readonly base: JsonObject | undefined;
  readonly meta: JsonObject | undefined;
  readonly baseIsForeign: boolean;
  readonly metaIsForeign: boolean;
  /** True if the files are ours, so that there was a log. */
  readonly logIsLost: boolean;
}

/** A folder and how it was found. */
export interface ForeignPlace {
  readonly disk: Disk;
  readonly path: ConversationPath;
  /** True if nothing of a log can be read. */
  readonly begun: boolean;
  /** Called with the path of a file that is not part of the log but would be taken for an event. */
  readonly reject: (file: string) => void;
  readonly report: Report;
}

/**
 * Reads the state files. Without a log they hold everything that is known, whichever program wrote them. A state file
 * of another conversation is set aside (decision 53).
 */
export function foreignState(place: ForeignPlace): ForeignState {
  const { disk, path, begun: alone } = place;
  const base = ownObject(place, path.baseState, isDamaged);
  const meta = ownObject(place, path.meta, isDamagedMeta);
  const mark = base && validMark(base);
  return {
    files: disk.stat(path.baseState) !== undefined || disk.stat(path.meta) !== undefined,
    base,
    meta,
    // Nothing is taken from files of ours that are damaged.
    baseIsForeign: base !== undefined && (alone || (mark === undefined && !isDamaged(base))),
    metaIsForeign: meta !== undefined && !isDamagedMeta(meta) && (alone || mark?.meta !== metaCrc(meta)),
    logIsLost: alone && base !== undefined && (mark !== undefined || isDamaged(base)),
  };
}

/** Returns the content of a state file, unless it was written for another conversation. */
function ownObject(
  { disk, path, reject, report }: ForeignPlace,
  file: string,
  isHarmed: (object: JsonObject) => boolean,
): JsonObject | undefined {
  const found = readJsonObject(disk, file);
  const other = found && otherConversation(disk, path, found, isHarmed);
  if (other === undefined) return found;
  const reason = `${basename(file)} is the one of conversation ${other}; nothing is taken over from it`;
  report({ kind: 'misfit', conversationId: path.id, reason });
  reject(file);
  return undefined;
}

/** Returns the state in foreign files. */
export function statedFields({ base, meta, baseIsForeign, metaIsForeign }: ForeignState): Partial<StateFields> {
  // A file of ours also has the settings that OpenHands has no member for.
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

/** Leaves out safeguards that are absent in the file, because its writer may not know them, or may omit nulls (P4). */
export function withoutUnsaid(stated: Partial<StateFields>, base: JsonObject | undefined): Partial<StateFields> {
  const unsaid = new Set<string>(SAFEGUARDS.filter(([, name]) => !(base && name in base)).map(([field]) => field));
  return Object.fromEntries(Object.entries(stated).filter(([field]) => !unsaid.has(field)));
}
