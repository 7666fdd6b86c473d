import { isDeepStrictEqual } from 'node:util';

import { REDACTED, type Json, type JsonObject } from '@conv/core';
import { isJsonObject } from '@conv/core/platform';

import { withAsterisks } from '../http/secret-texts.ts';

/**
 * Returns the object with the members of another: objects within objects are merged, everything else is replaced. Asterisks stand
 * for a hidden secret and leave its value unchanged. A member that equals `shown`, the form in which clients saw the object,
 * stays unchanged too. With `removes`, a null removes a member, and
 * with `removesBelow` a member of an object within the object.
 */
export function merge(
  base: JsonObject,
  diff: JsonObject,
  shown: JsonObject = withAsterisks(base),
  { removes = false, removesBelow = removes }: { readonly removes?: boolean; readonly removesBelow?: boolean } = {},
): JsonObject {
  const merged: Record<string, Json> = { ...base };
  for (const [name, value] of Object.entries(diff)) {
    const [before, asShown] = [own(base, name), own(shown, name)];
    if (value === null && removes) delete merged[name];
    else if (value === REDACTED) merged[name] = before ?? null;
    else if (isJsonObject(value))
      merged[name] = merge(orEmpty(before), value, orEmpty(asShown), { removes: removesBelow });
    else merged[name] = before !== undefined && isDeepStrictEqual(value, asShown) ? before : value;
  }
  return merged;
}

function own(object: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function orEmpty(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
