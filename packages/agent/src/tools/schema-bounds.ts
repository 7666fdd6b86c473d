import type { JsonObject, Json } from '@conv/core/events';
import { isObject } from '@conv/core/platform';
import { isDeeperThan } from '../base/json.ts';
import { isPlainWhole, refTarget } from './plain-schema.ts';

const MOST_BYTES = 256 * 1024;
/**
 * The deepest nesting of a schema. It is below the limit of events and states, because other values stand around it.
 */
const MOST_LEVELS = 150;

/**
 * Checks that a schema can be given to a model as it is. It must be within the limits of length and depth, also with
 * its references put in place, and no reference may lead only to itself. Throws `TypeError` with the reason.
 */
export function checkBounds(schema: JsonObject): void {
  if (isDeeperThan(MOST_LEVELS, schema)) throw new TypeError(`it is nested deeper than ${MOST_LEVELS} levels`);
  if (Buffer.byteLength(JSON.stringify(schema)) > MOST_BYTES)
    throw new TypeError(`it has more than ${MOST_BYTES} bytes`);
  checkReferences(schema, schema);
  if (!isPlainWhole(schema)) throw new TypeError('it is too large when its references are put in place');
}

function checkReferences(value: Json, root: JsonObject): void {
  if (typeof value !== 'object' || value === null) return;
  if (isObject(value)) checkWay(value['$ref'], root);
  for (const item of Object.values(value) as Json[]) checkReferences(item, root);
}

/** Checks the target of a reference. A schema may hold itself somewhere inside, but cannot be itself. */
function checkWay(first: unknown, root: JsonObject): void {
  const passed = new Set<string>();
  for (let $ref = first; typeof $ref === 'string'; $ref = refTarget($ref, root)?.['$ref']) {
    if (passed.has($ref)) throw new TypeError(`the reference ${$ref} leads to itself`);
    passed.add($ref);
  }
}
