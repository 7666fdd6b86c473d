import type { JsonObject, Json } from '@conv/core/events';
import { isObject } from '@conv/core/platform';
import { omit } from '../base/json.ts';

/** The most parts that references may add: each may hold others twice, until a short schema fills all memory. */
const MOST_ADDED = 2000;

/**
 * Returns a schema in a form that every provider reads. Each `$ref` is replaced by its target; a schema inside itself
 * becomes "any object", and so does a reference beyond 2,000 added parts. "X or null" becomes X, and `kind` is left out
 * of the properties.
 */
export function plainSchema(schema: JsonObject): JsonObject {
  return inPlace(schema).plain;
}

/** True if the targets of all references fit into the plain form. */
export function isPlainWhole(schema: JsonObject): boolean {
  return inPlace(schema).isWhole;
}

function inPlace(schema: JsonObject): { readonly plain: JsonObject; readonly isWhole: boolean } {
  const room = { left: MOST_ADDED };
  const plain = simplify(omit(schema, '$defs', 'definitions', '$schema'), { root: schema, inside: [], room });
  const result = isObject(plain) ? (plain as JsonObject) : {};
  const properties = isObject(result['properties']) ? omit(result['properties'] as JsonObject, 'kind') : {};
  const required = Array.isArray(result['required']) ? result['required'].filter((name) => name !== 'kind') : [];
  const object: JsonObject = { ...omit(result, 'required'), type: 'object', properties };
  return { plain: required.length === 0 ? object : { ...object, required }, isWhole: room.left > 0 };
}

interface Place {
  readonly root: JsonObject;
  /** The references that led here. */
  readonly inside: readonly string[];
  /** The number of parts that references may still add, anywhere in the schema. */
  readonly room: { left: number };
}

function simplify(value: Json, place: Place): Json {
  if (Array.isArray(value)) return value.map((item) => simplify(item, place));
  if (!isObject(value)) return value;
  if (place.inside.length > 0) place.room.left--;
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

function dereference($ref: string, schema: JsonObject, place: Place): Json {
  const rest = omit(schema, '$ref');
  const isOpen = place.room.left > 0 && !place.inside.includes($ref);
  const target = isOpen ? refTarget($ref, place.root) : undefined;
  if (target === undefined) return { type: 'object', ...rest };
  return simplify({ ...target, ...rest }, { ...place, inside: [...place.inside, $ref] });
}

/** Returns the target of a reference within its own schema; `undefined` if it leads elsewhere or nowhere. */
export function refTarget($ref: string, root: JsonObject): JsonObject | undefined {
  if (!$ref.startsWith('#')) return undefined;
  let target: unknown = root;
  for (const step of $ref.slice(1).split('/').filter(Boolean)) {
    if (!isObject(target)) return undefined;
    target = target[step.replaceAll('~1', '/').replaceAll('~0', '~')];
  }
  if (!isObject(target)) return undefined;
  return omit(target as JsonObject, '$defs', 'definitions');
}
