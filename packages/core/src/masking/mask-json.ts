import { isPlain } from '../events/freeze-json.ts';
import { isObject as isAnyObject } from '../platform/json.ts';
import { mapItems } from './map-same.ts';

/** Replaces values of secrets in a text. */
export type MaskText = (text: string) => string;

/**
 * The value with its texts and names of members masked; the same object when nothing had to be. `keep`: members of the value itself
 * that stay as they are. `numbers`: numbers whose digits hold a value become texts; default `false`, because schemas ask for numbers.
 */
export function maskJson<T>(
  value: T,
  mask: (text: string) => string,
  { keep, numbers = false }: { readonly keep?: ReadonlySet<string>; readonly numbers?: boolean } = {},
): T {
  const masked = (item: unknown): unknown => {
    if (typeof item === 'string') return mask(item);
    if (typeof item === 'number') return numbers ? maskNumber(item, mask) : item;
    if (Array.isArray(item)) return mapItems<unknown>(item, masked);
    return isObject(item) ? maskMembers(item, masked, mask) : item;
  };
  if (!keep || !isObject(value)) return masked(value) as T;
  return maskMembers(value, masked, mask, keep) as T;
}

/** The JSON text with its values masked, so that it stays JSON; another text is masked as it is. */
export function maskJsonText(text: string, mask: MaskText): string {
  if (mask(text) === text) return text;
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return mask(text);
  }
  // once more as a text: a value may lie across members
  const masked = JSON.stringify(maskJson(parsed, mask, { numbers: true }));
  return mask(masked) === masked ? masked : JSON.stringify(mask(masked));
}

function maskNumber(value: number, mask: MaskText): number | string {
  const text = String(value);
  const masked = mask(text);
  return masked === text ? value : masked;
}

function maskMembers(
  object: object,
  map: (item: unknown) => unknown,
  mask: MaskText,
  keep?: ReadonlySet<string>,
): object {
  const taken = new Set<string>();
  let changed = false;
  const members = Object.entries(object).map(([name, value]): [string, unknown] => {
    if (keep?.has(name)) return [name, value];
    const mapped = map(value);
    const masked = unused(mask(name), taken);
    changed ||= mapped !== value || masked !== name;
    return [masked, mapped];
  });
  return changed ? Object.fromEntries(members) : object;
}

/** Two names that are masked to the same text stay two. */
function unused(name: string, taken: Set<string>): string {
  let free = name;
  for (let count = 2; taken.has(free); count++) free = `${name} ${count}`;
  taken.add(free);
  return free;
}

function isObject(value: unknown): value is object {
  return isAnyObject(value) && isPlain(value);
}
