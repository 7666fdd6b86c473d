/** Deeper than any sensible arguments; text that nests deeper must not exhaust the stack. */
const MAX_DEPTH = 64;

/** JSON with sorted keys, without fields that are null or undefined: the same text for the same arguments. */
export function canonicalJson(value: unknown, depth = 0): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (depth === MAX_DEPTH) return '"…"';
  if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item, depth + 1)).join()}]`;
  let text = '{';
  for (const key of Object.keys(value).sort()) {
    const field: unknown = Reflect.get(value, key);
    if (field !== undefined && field !== null) text += `${JSON.stringify(key)}:${canonicalJson(field, depth + 1)},`;
  }
  return `${text}}`;
}
