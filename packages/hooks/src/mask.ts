import { type Json, type JsonObject, type Masker, SECRET_MASK } from '@conv/core';

/** Masks a text, and hides all of it when that fails. */
export function maskOrHide(text: string, masker: Masker | undefined): string {
  try {
    return masker?.mask(text) ?? text;
  } catch {
    return SECRET_MASK;
  }
}

/** As {@link maskOrHide}, for the beginning of a text: what may be a part of a value at its end is masked too. */
export function maskBeginning(text: string, masker: Masker | undefined): string {
  if (!masker) return text;
  try {
    const stream = masker.stream();
    return stream.write(text) + stream.end();
  } catch {
    return SECRET_MASK;
  }
}

/** A copy with its texts and names of members masked. Two names that become the same stay two. */
export function maskJson(value: JsonObject, mask: (text: string) => string): JsonObject {
  const masked = (item: Json): Json => {
    if (typeof item === 'string') return mask(item);
    if (typeof item !== 'object' || item === null) return item;
    if (Array.isArray(item)) return item.map((part: Json) => masked(part));
    return maskMembers(item as JsonObject);
  };
  const maskMembers = (object: JsonObject): JsonObject => {
    const taken = new Set<string>();
    const members = Object.entries(object).map(([name, item]): [string, Json] => {
      const wanted = mask(name);
      let free = wanted;
      for (let count = 2; taken.has(free); count++) free = `${wanted} ${count}`;
      taken.add(free);
      return [free, masked(item)];
    });
    return Object.fromEntries(members);
  };
  return maskMembers(value);
}
