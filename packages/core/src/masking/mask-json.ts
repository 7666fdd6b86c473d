import { isPlain } from '../events/freeze-json.ts';
import { isObject as isAnyObject } from '../platform/json.ts';
import { mapItems, mapMembers } from './map-same.ts';

/** Replaces values of secrets in a text. */
export type MaskText = (text: string) => string;

/**
 * Returns the value with its texts and member names masked; the same object when nothing had to be masked. `keep`: members of the
 * value itself that stay as they are. `numbers`: numbers whose digits contain a value become texts; default `false`, because
 * schemas require numbers.
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
    return isObject(item) ? members(item) : item;
  };
  const members = <Item extends object>(item: Item, kept?: ReadonlySet<string>): Item => {
    const taken = new Set<string>();
    return mapMembers(
      item,
      (member, name) => (kept?.has(name) ? member : masked(member)),
      (name) => (kept?.has(name) ? name : unused(mask(name), taken)),
    );
  };
  return isObject(value) ? members(value, keep) : (masked(value) as T);
}

/** Masks a JSON text so that it stays JSON. Any other text is masked as plain text. */
export function maskJsonText(text: string, mask: MaskText): string {
  if (mask(text) === text) return text;
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return mask(text);
  }
  // mask once more as plain text, because a value may span several members
  const masked = JSON.stringify(maskJson(parsed, mask, { numbers: true }));
  return mask(masked) === masked ? masked : JSON.stringify(mask(masked));
}

function maskNumber(value: number, mask: MaskText): number | string {
  const text = String(value);
  const masked = mask(text);
  return masked === text ? value : masked;
}

/** Returns a free name, so that two names that are masked to the same text stay distinct. */
function unused(name: string, taken: Set<string>): string {
  let free = name;
  for (let count = 2; taken.has(free); count++) free = `${name} ${count}`;
  taken.add(free);
  return free;
}

function isObject(value: unknown): value is object {
  return isAnyObject(value) && isPlain(value);
}
