/** A parsed JSON object whose members are still to be checked. */
export type JsonObject = { readonly [member: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value of a JSON text, or `undefined` when it is none (JSON has no `undefined`). */
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
