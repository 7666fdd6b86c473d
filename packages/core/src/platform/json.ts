/** Any JSON value, deeply readonly. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

/** A JSON object, deeply readonly. */
export interface JsonObject {
  readonly [key: string]: Json;
}

declare const place: unique symbol;

/**
 * JSON of another program in the place of a setting, kept unchanged. {@link keptJson} brands it with the setting, in its type
 * alone, so that the compiler refuses JSON of another setting there.
 */
export type KeptJson<Place extends string> = JsonObject & { readonly [place]: Place };

/** Brands JSON of a setting that another program, or an object of the caller, may have written. Returns it unchanged. */
export function keptJson<Place extends 'analyzer' | 'hooks' | 'policy'>(json: JsonObject): KeptJson<Place> {
  return json as KeptJson<Place>;
}

/** True if a value is an object and not an array. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** True if a JSON value is an object and not an array. The members are not checked, so the value must come from JSON. */
export function isJsonObject(value: unknown): value is JsonObject {
  return isObject(value);
}

/** True if two values are the same JSON: the same members in any order, and the same items in the same order. */
export function isSameJson(first: unknown, second: unknown): boolean {
  if (Object.is(first, second)) return true;
  if (Array.isArray(first) || Array.isArray(second))
    return (
      Array.isArray(first) &&
      Array.isArray(second) &&
      first.length === second.length &&
      first.every((item, index) => isSameJson(item, second[index]))
    );
  if (!isObject(first) || !isObject(second)) return false;
  const names = Object.keys(first);
  return (
    names.length === Object.keys(second).length &&
    names.every((name) => Object.hasOwn(second, name) && isSameJson(first[name], second[name]))
  );
}
