import { z } from 'zod';
import type { JsonObject, Json } from '@conv/core/events';
import { documented } from './named.ts';

/** The bounds of a number; `above` and `below` are not in. */
interface Bounds {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly above?: number;
  readonly below?: number;
}

const NUMBER = /^\s*[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?\s*$/i;
const TRUE = new Set<unknown>([1, '1', 'true', 't', 'yes', 'y', 'on']);
const FALSE = new Set<unknown>([0, '0', 'false', 'f', 'no', 'n', 'off']);

/** A whole number; a text of digits counts, as everything does in a query. */
export function integer(bounds: Bounds = {}): z.ZodType<number> {
  return z.preprocess(toNumber, bounded(z.int({ error: noInteger }), bounds));
}

/** A number; a text of digits counts. */
export function number(bounds: Bounds = {}): z.ZodType<number> {
  return z.preprocess(toNumber, bounded(z.number(), bounds));
}

/** A yes or no; 0, 1 and their words count. */
export function boolean(): z.ZodType<boolean> {
  return z.preprocess(toBoolean, z.boolean());
}

/** Any JSON value, kept as it is. */
export const jsonValue: z.ZodType<Json> = documented(
  z.custom<Json>((value) => value !== undefined),
  {},
);

/** Any JSON object, kept as it is. */
export const jsonObject: z.ZodType<JsonObject> = documented(
  z.custom<JsonObject>((value) => typeof value === 'object' && value !== null && !Array.isArray(value), {
    error: 'Input should be an object',
  }),
  { type: 'object' },
);

function bounded<Schema extends z.ZodNumber>(schema: Schema, bounds: Bounds): z.ZodType<number> {
  let checked: z.ZodNumber = schema;
  if (bounds.minimum !== undefined) checked = checked.gte(bounds.minimum);
  if (bounds.maximum !== undefined) checked = checked.lte(bounds.maximum);
  if (bounds.above !== undefined) checked = checked.gt(bounds.above);
  if (bounds.below !== undefined) checked = checked.lt(bounds.below);
  return checked;
}

/** The text of an issue that would otherwise only ask for a number. */
function noInteger(issue: z.core.$ZodRawIssue): string | undefined {
  return issue.code === 'invalid_type' ? 'Input should be a valid integer' : undefined;
}

function toNumber(value: unknown): unknown {
  return typeof value === 'string' && NUMBER.test(value) ? Number(value) : value;
}

function toBoolean(value: unknown): unknown {
  const key = typeof value === 'string' ? value.toLowerCase() : value;
  if (TRUE.has(key)) return true;
  return FALSE.has(key) ? false : value;
}
