import { isDeepStrictEqual } from 'node:util';

import type { StateFields } from '../state/fields.ts';
import type { StatePatch } from '../state/patch.ts';

/** The patch that turns `before` into what `after` says; `undefined` when it says nothing new. Members absent in `after` stay. */
export function diffFields(before: StateFields, after: Partial<StateFields>): StatePatch | undefined {
  const changed = (Object.keys(after) as (keyof StateFields)[]).filter(
    (key) => !isDeepStrictEqual(before[key], after[key]),
  );
  if (changed.length === 0) return undefined;
  return { set: Object.fromEntries(changed.map((key) => [key, after[key]])) as Partial<StateFields> };
}
