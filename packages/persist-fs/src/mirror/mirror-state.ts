import { crc32 } from '@conv/store-kit/system';
import type { JsonObject, StateFields, StatePatch } from '@conv/core';
import { toBaseState, toMeta } from '@conv/openhands/folder';

/** The member of `base_state.json` that marks our files. OpenHands leaves it out of the files that it saves. */
export interface ConvMark {
  readonly epoch: number;
  /** The commits before this one are in the file. */
  readonly seq: number;
  readonly updatedAt: string;
  /** The CRC of the `meta.json` beside it. */
  readonly meta: number;
  /** Settings that OpenHands has no member for. Files of older versions do not have them. */
  readonly limits?: Limits;
  /** The CRC of the rest of the file. */
  readonly crc: number;
  /** The CRC of the whole file. */
  readonly check?: number;
}

type Limits = Pick<StateFields, 'maxBudgetPerRun' | 'maxBudget' | 'toolTimeout' | 'damaged' | 'damage'>;

/** The members of a mark, which tell a mark under a damaged name. */
const MARK_MEMBERS = ['epoch', 'seq', 'updatedAt', 'meta', 'limits', 'crc', 'check'];

export function baseStateText(
  fields: StateFields,
  mark: Omit<ConvMark, 'crc' | 'limits' | 'check'>,
  omitHead: boolean,
): string {
  const base = toBaseState(fields, { omitHead });
  const { maxBudgetPerRun, maxBudget, toolTimeout, damaged, damage } = fields;
  const limits: Limits = { maxBudgetPerRun, maxBudget, toolTimeout, damaged, damage };
  const conv = { ...mark, limits, crc: crc32(JSON.stringify(base)) };
  return JSON.stringify({ ...base, conv: { ...conv, check: crc32(JSON.stringify({ ...base, conv })) } });
}

/** Returns the mark of a `base_state.json` that no other program changed since we wrote it. */
export function validMark(base: JsonObject): ConvMark | undefined {
  const { conv, ...rest } = base;
  if (typeof conv !== 'object' || conv === null) return undefined;
  const { check, ...mark } = conv as unknown as ConvMark;
  if (mark.crc !== crc32(JSON.stringify(rest))) return undefined;
  return check === undefined || check === crc32(JSON.stringify({ ...rest, conv: mark })) ? mark : undefined;
}

/** True for one of our files that was damaged: no other program writes our member. */
export function isDamaged(base: JsonObject): boolean {
  return (
    validMark(base) === undefined && Object.entries(base).some(([name, value]) => name === 'conv' || isMark(value))
  );
}

function isMark(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return MARK_MEMBERS.filter((name) => name in value).length >= MARK_MEMBERS.length - 2;
}

/** The text of `meta.json`, with a check value that OpenHands leaves out. */
export function metaText(fields: StateFields, updatedAt: string): string {
  const meta = toMeta(fields, '');
  return JSON.stringify({ ...meta, updated_at: updatedAt, conv: { crc: crc32(JSON.stringify(meta)) } });
}

/** True for a damaged `meta.json` that we wrote. */
export function isDamagedMeta(meta: JsonObject): boolean {
  const { conv, ...rest } = meta;
  const crc = conv ?? Object.values(rest).find((value) => isCheckValue(value));
  if (crc === undefined) return false;
  return !isCheckValue(conv) || conv.crc !== crc32(JSON.stringify({ ...rest, updated_at: '' }));
}

/** Returns true for the `meta.json` that belongs to the `base_state.json` with this mark. */
export function validMeta(meta: JsonObject, mark: ConvMark): boolean {
  return mark.meta === metaCrc(meta) && !isDamagedMeta(meta);
}

function isCheckValue(value: unknown): value is { readonly crc: number } {
  return typeof value === 'object' && value !== null && 'crc' in value && Object.keys(value).length === 1;
}

/** Returns a CRC of the contents of `meta.json`, without the time of the last change. */
export function metaCrc(meta: JsonObject): number {
  return crc32(JSON.stringify({ ...meta, updated_at: '' }));
}

/** Fields with which OpenHands could continue elsewhere, or under weaker rules than agreed, if they were out of date. */
const guarded: ReadonlySet<string> = new Set<keyof StateFields>([
  'leafEventId',
  'headIsEmpty',
  'confirmationPolicy',
  'securityAnalyzer',
  'hookConfig',
  'maxIterations',
  'maxBudgetPerRun',
  'maxBudget',
  'toolTimeout',
  'stuckDetection',
  'secretRegistry',
  'damaged',
  'damage',
]);

/** Returns true if the files must show a commit with this patch before it is acknowledged. */
export function isGuarded(patch: StatePatch | undefined): boolean {
  if (!patch) return false;
  const keys = [...Object.keys(patch.set ?? {}), ...(patch.unset ?? []), ...Object.keys(patch.add ?? {})];
  return keys.some((key) => guarded.has(key));
}
