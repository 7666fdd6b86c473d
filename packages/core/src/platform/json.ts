/** Any JSON value, deeply readonly. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;

/** A JSON object, deeply readonly. */
export interface JsonObject {
  readonly [key: string]: Json;
}

/** True if a value is an object and no array. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
