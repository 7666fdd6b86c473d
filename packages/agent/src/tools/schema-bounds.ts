import type { JsonObject, Json } from '@conv/core/events';
import { isDeeperThan, isObject } from '../base/json.ts';
import { isPlainWhole, refTarget } from './plain-schema.ts';

const MOST_BYTES = 256 * 1024;
/** Less than events and states can hold, with what stands around it. */
const MOST_LEVELS = 150;

/**
 * Checks that a schema can be put before a model as it is: that it is no longer and no deeper than one can be, that it stays so when
 * references are put in place, and that no reference leads to nothing but itself. Throws `TypeError`, which says why not.
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

/** A schema may hold itself somewhere inside, and cannot be itself. */
function checkWay(first: unknown, root: JsonObject): void {
  const passed = new Set<string>();
  for (let $ref = first; typeof $ref === 'string'; $ref = refTarget($ref, root)?.['$ref']) {
    if (passed.has($ref)) throw new TypeError(`the reference ${$ref} leads to itself`);
    passed.add($ref);
  }
}
