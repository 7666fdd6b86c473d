import * as fc from 'fast-check';

/** A JSON schema, as the OpenAPI document has it. */
export interface Schema {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly format?: string;
  readonly pattern?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly propertyNames?: Schema;
  readonly items?: Schema | false;
  readonly prefixItems?: readonly Schema[];
  readonly [keyword: string]: unknown;
}

const DEEP = 6;

/** Circumstances of every part of a value. */
interface Document {
  readonly components: Readonly<Record<string, Schema>>;
  readonly more: object;
}

/** Values that a schema allows, as JSON has them. Open objects with named members have those of `more` as well, at every depth. */
export function arbitraryOf(
  schema: Schema,
  components: Readonly<Record<string, Schema>>,
  more: object = {},
): fc.Arbitrary<unknown> {
  return valueOf(schema, { components, more }, 0).map((value): unknown => JSON.parse(JSON.stringify(value)));
}

function valueOf(schema: Schema, document: Document, depth: number): fc.Arbitrary<unknown> {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1);
    return valueOf(document.components[name] ?? {}, document, depth + 1);
  }
  const choice = schema.anyOf ?? schema.oneOf;
  // the last member of a choice that contains itself does not
  if (choice !== undefined) {
    const members = depth > DEEP ? choice.slice(-1) : choice;
    return fc.constantFrom(...members).chain((member) => valueOf(member, document, depth + 1));
  }
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (Array.isArray(schema.type))
    return fc
      .constantFrom(...(schema.type as readonly string[]))
      .chain((type) => typed({ ...schema, type }, document, depth));
  return typed(schema, document, depth);
}

function typed(schema: Schema, document: Document, depth: number): fc.Arbitrary<unknown> {
  switch (schema.type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'string':
      return textOf(schema);
    case 'integer':
      return fc.integer(boundsOf(schema, 1));
    case 'number':
      return fc.double({ ...boundsOf(schema, 1e-9), noNaN: true, noDefaultInfinity: true });
    case 'array':
      return listOf(schema, document, depth);
    case 'object':
      return objectOf(schema, document, depth);
    case undefined:
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

function textOf(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.format === 'uuid') return fc.uuid();
  if (schema.format === 'date-time')
    return fc
      .date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
      .map((date) => date.toISOString());
  if (schema.pattern !== undefined) return fc.stringMatching(new RegExp(schema.pattern));
  return fc.string({
    unit: 'grapheme',
    minLength: Number(schema['minLength'] ?? 0),
    maxLength: Math.min(Number(schema['maxLength'] ?? 12), 12),
  });
}

function boundsOf(schema: Schema, step: number): { readonly min: number; readonly max: number } {
  const above = schema['exclusiveMinimum'] === undefined ? undefined : Number(schema['exclusiveMinimum']) + step;
  const below = schema['exclusiveMaximum'] === undefined ? undefined : Number(schema['exclusiveMaximum']) - step;
  const min = Number(schema['minimum'] ?? above ?? -1000);
  return { min, max: Number(schema['maximum'] ?? below ?? Math.max(1000, min + 1)) };
}

function listOf(schema: Schema, document: Document, depth: number): fc.Arbitrary<unknown> {
  if (schema.prefixItems !== undefined)
    return fc.tuple(...schema.prefixItems.map((item) => valueOf(item, document, depth + 1)));
  const minLength = Number(schema['minItems'] ?? 0);
  if (depth > DEEP && minLength === 0) return fc.constant([]);
  const items = schema.items === undefined || schema.items === false ? {} : schema.items;
  return fc.array(valueOf(items, document, depth + 1), { minLength, maxLength: minLength + 2 });
}

function objectOf(schema: Schema, document: Document, depth: number): fc.Arbitrary<unknown> {
  const { properties = {}, required = [], additionalProperties, propertyNames } = schema;
  const names = Object.keys(properties).filter((name) => depth <= DEEP || required.includes(name));
  const members = names.map((name) => [name, valueOf(properties[name] ?? {}, document, depth + 1)] as const);
  const known = fc.record(Object.fromEntries(members), { requiredKeys: required.filter((name) => name in properties) });
  if (additionalProperties === false) return known;
  if (names.length > 0) return known.map((value) => ({ ...value, ...document.more }));
  const value = typeof additionalProperties === 'object' ? additionalProperties : {};
  const key = propertyNames === undefined ? fc.string({ maxLength: 8 }) : textOf(propertyNames);
  return fc.dictionary(key as fc.Arbitrary<string>, valueOf(value, document, depth + 1), {
    maxKeys: 3,
    noNullPrototype: true,
  });
}
