import { ToolError, type Json, type JsonObject } from '@conv/core/tool';
import { hasReference } from '@conv/openhands/references';
import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';

import { describeErrors, valueAt } from './argument-errors.ts';

/** Checks the arguments of one tool against the schema that its server gave. */
export interface ArgumentSchema {
  /**
   * Returns the arguments without nulls for optional parameters that do not allow null. Throws {@link ToolError} `INVALID_INPUT`. A
   * text that names a secret passes every check of its characters.
   */
  parse(input: unknown): Json;
  /** Checks arguments in which values have replaced the references. Throws {@link ToolError} `INVALID_INPUT`. */
  check(input: JsonObject): void;
}

const OPTIONS: Options = {
  strict: false,
  allErrors: true,
  // the server decides about the dialect, and its schema is not code of ours, so it need not be valid for us
  validateSchema: false,
  meta: false,
  addUsedSchema: false,
  // `format` is an annotation since 2019-09, and servers use their own formats
  validateFormats: false,
  logger: false,
};

/** Keywords whose values map names, of properties or definitions, to schemas. */
const NAMED = new Set(['properties', '$defs', 'definitions', 'dependentSchemas', 'dependencies']);
/** Keywords whose values are no schemas. */
const VALUES = new Set(['const', 'enum', 'default', 'examples']);
/** Keywords whose effect depends on patterns of names. */
const BY_PATTERN = new Set(['patternProperties', 'additionalProperties', 'unevaluatedProperties']);

const OF_CHARACTERS = new Set(['minLength', 'maxLength', 'enum', 'const']);
const MOST_ROUNDS = 5;

/** Makes the checks of a schema. Throws for a reference that leads nowhere, or a keyword with a wrong value. */
export function argumentSchema(tool: string, schema: JsonObject): ArgumentSchema {
  const { $schema, ...rest } = schema;
  const validate = compile(rest, $schema);
  const refuse = (input: unknown, errors: readonly ErrorObject[]): never => {
    throw new ToolError('INVALID_INPUT', `Invalid arguments for tool '${tool}': ${describeErrors(input, errors)}`);
  };
  return {
    parse: (input) => {
      const given = structuredClone(input ?? {});
      const errors = errorsWithoutNulls(validate, given).filter((error) => !mayBeReference(given, error));
      return errors.length === 0 ? (given as Json) : refuse(given, errors);
    },
    check: (input) => {
      if (!validate(input)) refuse(input, validate.errors ?? []);
    },
  };
}

function compile(schema: JsonObject, dialect: unknown): ValidateFunction {
  const name = typeof dialect === 'string' ? dialect : '';
  const Engine = /draft-0[67]/.test(name) ? Ajv : /2019-09/.test(name) ? Ajv2019 : Ajv2020;
  // the server checks patterns: they are written for other engines, and a pattern without end would stop this process
  return new Engine(OPTIONS).removeKeyword('pattern').compile(withoutNamePatterns(schema) as JsonObject);
}

/** Returns the schema without its rules for names that match a pattern, at any depth. */
function withoutNamePatterns(schema: Json): Json {
  if (Array.isArray(schema)) return (schema as readonly Json[]).map(withoutNamePatterns);
  if (typeof schema !== 'object' || schema === null) return schema;
  const named = 'patternProperties' in schema;
  const kept = Object.entries(schema as JsonObject).filter(([keyword]) => !(named && BY_PATTERN.has(keyword)));
  return Object.fromEntries(
    kept.map(([keyword, value]) => {
      if (VALUES.has(keyword)) return [keyword, value];
      return [keyword, NAMED.has(keyword) ? eachWithoutNamePatterns(value) : withoutNamePatterns(value)];
    }),
  );
}

function eachWithoutNamePatterns(schemas: Json): Json {
  if (typeof schemas !== 'object' || schemas === null || Array.isArray(schemas)) return schemas;
  const entries = Object.entries(schemas as JsonObject);
  return Object.fromEntries(entries.map(([name, schema]) => [name, withoutNamePatterns(schema)]));
}

// models write null for parameters that they leave out
function errorsWithoutNulls(validate: ValidateFunction, input: unknown): readonly ErrorObject[] {
  for (let round = 0; round < MOST_ROUNDS; round++) {
    if (validate(input)) return [];
    const dropped = (validate.errors ?? []).filter(({ instancePath }) => dropNull(input, instancePath));
    if (dropped.length === 0) break;
  }
  return validate(input) ? [] : (validate.errors ?? []);
}

function dropNull(input: unknown, path: string): boolean {
  const cut = path.lastIndexOf('/');
  if (cut < 0 || valueAt(input, path) !== null) return false;
  const parent = valueAt(input, path.slice(0, cut));
  if (typeof parent !== 'object' || parent === null || Array.isArray(parent)) return false;
  return Reflect.deleteProperty(
    parent,
    path
      .slice(cut + 1)
      .replaceAll('~1', '/')
      .replaceAll('~0', '~'),
  );
}

function mayBeReference(input: unknown, { keyword, instancePath }: ErrorObject): boolean {
  const value = OF_CHARACTERS.has(keyword) ? valueAt(input, instancePath) : undefined;
  return typeof value === 'string' && hasReference(value);
}
