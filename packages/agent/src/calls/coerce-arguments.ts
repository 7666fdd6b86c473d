import type { JsonObject, Json } from '@conv/core/events';
import { isObject } from '@conv/core/platform';
import { parseLoosely } from './repair-json.ts';

/**
 * Returns arguments in the shape of the schema, where models are known to miss it: nulls for omitted parameters, lists
 * and objects written as JSON text, a text cut into a list, numbers and truth values in quotes. Values that fit, or
 * cannot be repaired, stay as they are.
 */
export function coerceArguments(args: JsonObject, schema: JsonObject): JsonObject {
  const properties = isObject(schema['properties']) ? schema['properties'] : {};
  const entries = Object.entries(args).filter(([, value]) => value !== null);
  return Object.fromEntries(
    entries.map(([name, value]) => [
      name,
      Object.hasOwn(properties, name) ? coerce(value, typesOf(properties[name])) : value,
    ]),
  );
}

/** Returns the JSON types that a schema allows; empty if it names none. */
function typesOf(schema: unknown): ReadonlySet<string> {
  if (!isObject(schema)) return new Set();
  const { type } = schema;
  const own = Array.isArray(type) ? type.map(String) : typeof type === 'string' ? [type] : [];
  const alternatives = [schema['anyOf'], schema['oneOf']].filter(Array.isArray).flat();
  return new Set([...own, ...alternatives.flatMap((alternative) => [...typesOf(alternative)])]);
}

function coerce(value: Json, types: ReadonlySet<string>): Json {
  if (Array.isArray(value)) {
    const isText = types.has('string') && !types.has('array') && value.every((item) => typeof item === 'string');
    return isText ? value.join('') : value;
  }
  if (typeof value !== 'string' || types.has('string')) return value;
  if (types.has('array') || types.has('object')) return decode(value, types) ?? value;
  if (types.has('boolean') && /^(?:true|false)$/i.test(value.trim())) return value.trim().toLowerCase() === 'true';
  const isNumber = (types.has('number') || types.has('integer')) && /^-?\d+(?:\.\d+)?$/.test(value.trim());
  return isNumber ? Number(value) : value;
}

function decode(text: string, types: ReadonlySet<string>): Json | undefined {
  const decoded = parseLoosely(text);
  const fits = Array.isArray(decoded) ? types.has('array') : isObject(decoded) && types.has('object');
  return fits ? (decoded as Json) : undefined;
}
