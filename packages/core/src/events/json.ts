/** Any JSON value, deeply readonly. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** A JSON object, deeply readonly. */
export interface JsonObject {
  readonly [key: string]: JsonValue;
}

/** Whether a value is an object that is no array. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
