import type { JsonObject, JsonValue } from '@conv/core/events';
import { isObject, omit } from '../json.ts';

/**
 * A schema that every provider reads: `$ref`s put in place (a schema inside itself becomes "any object"), "X or null" said
 * as X, `kind` left out of the properties.
 */
export function plainSchema(schema: JsonObject): JsonObject {
  const plain = simplify(omit(schema, '$defs', 'definitions', '$schema'), { root: schema, inside: [] });
  const result = isObject(plain) ? (plain as JsonObject) : {};
  const properties = isObject(result['properties']) ? omit(result['properties'] as JsonObject, 'kind') : {};
  const required = Array.isArray(result['required']) ? result['required'].filter((name) => name !== 'kind') : [];
  return { ...omit(result, 'required'), type: 'object', properties, ...(required.length === 0 ? {} : { required }) };
}

interface Place {
  readonly root: JsonObject;
  /** The references that led here. */
  readonly inside: readonly string[];
}

function simplify(value: JsonValue, place: Place): JsonValue {
  if (Array.isArray(value)) return value.map((item) => simplify(item, place));
  if (!isObject(value)) return value;
  const object = value as JsonObject;
  const { $ref } = object;
  if (typeof $ref === 'string') return dereference($ref, object, place);
  const { anyOf } = object;
  const alternatives = Array.isArray(anyOf) ? anyOf.filter((item) => !(isObject(item) && item['type'] === 'null')) : [];
  if (Array.isArray(anyOf) && alternatives.length === 1 && isObject(alternatives[0])) {
    const otherwise = object['default'];
    const rest = omit(object, 'anyOf', 'default');
    const kept = otherwise === undefined || otherwise === null ? {} : { default: otherwise };
    return simplify({ ...(alternatives[0] as JsonObject), ...rest, ...kept }, place);
  }
  return Object.fromEntries(Object.entries(object).map(([key, item]) => [key, simplify(item, place)]));
}

function dereference($ref: string, schema: JsonObject, place: Place): JsonValue {
  const rest = omit(schema, '$ref');
  const target = place.inside.includes($ref) ? undefined : resolve($ref, place.root);
  if (target === undefined) return { type: 'object', ...rest };
  return simplify({ ...target, ...rest }, { ...place, inside: [...place.inside, $ref] });
}

function resolve($ref: string, root: JsonObject): JsonObject | undefined {
  if (!$ref.startsWith('#')) return undefined;
  let target: unknown = root;
  for (const step of $ref.slice(1).split('/').filter(Boolean)) {
    if (!isObject(target)) return undefined;
    target = target[step.replaceAll('~1', '/').replaceAll('~0', '~')];
  }
  if (!isObject(target)) return undefined;
  return omit(target as JsonObject, '$defs', 'definitions');
}
