import { crc32 } from 'node:zlib';
import type { JsonObject, StateFields } from '@conv/core';
import { toBaseState, toMeta } from '@conv/core/openhands';
import type { StatePatch } from '@conv/core';

/** The member of `base_state.json` that tells our files from those that OpenHands saved, which leaves it out. */
export interface ConvMark {
  readonly epoch: number;
  /** The commits before this one are in the file. */
  readonly seq: number;
  readonly updatedAt: string;
  /** Of the `meta.json` beside it. */
  readonly meta: number;
  /** Of the rest of the file. */
  readonly crc: number;
}

/** The text of `base_state.json`. */
export function baseStateText(fields: StateFields, mark: Omit<ConvMark, 'crc'>, omitHead: boolean): string {
  const base = toBaseState(fields, { omitHead });
  const conv: ConvMark = { ...mark, crc: crc32(JSON.stringify(base)) };
  return JSON.stringify({ ...base, conv });
}

/** The mark of a `base_state.json` that nobody changed since we wrote it. */
export function validMark(base: JsonObject): ConvMark | undefined {
  const { conv, ...rest } = base;
  if (typeof conv !== 'object' || conv === null) return undefined;
  const mark = conv as unknown as ConvMark;
  return mark.crc === crc32(JSON.stringify(rest)) ? mark : undefined;
}

/** The text of `meta.json`. */
export function metaText(fields: StateFields, updatedAt: string): string {
  return JSON.stringify(toMeta(fields, updatedAt));
}

/** A CRC of what `meta.json` says, but for the time of the last change. */
export function metaCrc(meta: JsonObject): number {
  return crc32(JSON.stringify({ ...meta, updated_at: '' }));
}

/** An older file with these fields could make OpenHands continue elsewhere, or under weaker rules than were agreed. */
const guarded: ReadonlySet<string> = new Set<keyof StateFields>([
  'leafEventId',
  'headIsEmpty',
  'confirmationPolicy',
  'securityAnalyzer',
  'hookConfig',
  'maxIterations',
  'stuckDetection',
  'secretRegistry',
  'damaged',
]);

/** Whether the view must be written before a commit with this patch is acknowledged. */
export function isGuarded(patch: StatePatch | undefined): boolean {
  if (!patch) return false;
  const keys = [...Object.keys(patch.set ?? {}), ...(patch.unset ?? []), ...Object.keys(patch.add ?? {})];
  return keys.some((key) => guarded.has(key));
}
