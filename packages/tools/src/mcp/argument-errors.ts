import type { ErrorObject } from 'ajv';

const MOST_ERRORS = 10;
const LONGEST = 200;

/** Describes errors in arguments by parameters and their valid values. Never quotes given values, because they may be secrets. */
export function describeErrors(input: unknown, errors: readonly ErrorObject[]): string {
  const unions = errors.filter(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf');
  const said = errors
    // errors of each form of a union do not help, because only one of the forms is wanted
    .filter((error) => !unions.some((union) => union !== error && isInside(error, union)))
    .map((error) => `${nameOf(error)}: ${describe(input, error, errors)}`);
  const distinct = [...new Set(said)];
  const shown = distinct.slice(0, MOST_ERRORS);
  if (distinct.length > MOST_ERRORS) shown.push(`and ${distinct.length - MOST_ERRORS} more`);
  return shown.join('; ');
}

/** Returns the value at a JSON pointer; `undefined` if there is none. */
export function valueAt(input: unknown, pointer: string): unknown {
  let value = input;
  for (const key of keysOf(pointer)) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

function describe(input: unknown, error: ErrorObject, all: readonly ErrorObject[]): string {
  const { keyword, params } = error;
  switch (keyword) {
    case 'required':
      return 'is required';
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return 'is not known';
    case 'type':
      return `must be ${typesOf([error])}`;
    case 'enum':
      return `must be one of ${cut((params['allowedValues'] as unknown[]).map((value) => JSON.stringify(value)).join(', '))}`;
    case 'const':
      return `must be ${cut(JSON.stringify(params['allowedValue']))}`;
    case 'anyOf':
    case 'oneOf':
      return describeUnion(error, all);
    default:
      // the other messages speak of the schema alone
      return cut(error.message ?? `does not fit (${keyword})`);
  }
}

function describeUnion(union: ErrorObject, all: readonly ErrorObject[]): string {
  const inside = all.filter((error) => error !== union && isInside(error, union));
  const onlyTypes = inside.every((error) => error.keyword === 'type' && error.instancePath === union.instancePath);
  return inside.length > 0 && onlyTypes ? `must be ${typesOf(inside)}` : 'matches none of the allowed forms';
}

function isInside(error: ErrorObject, union: ErrorObject): boolean {
  return error.schemaPath.startsWith(`${union.schemaPath}/`);
}

function typesOf(errors: readonly ErrorObject[]): string {
  const types = errors.flatMap(({ params }) => params['type'] as string | readonly string[]);
  return [...new Set(types)]
    .map((type) => (type === 'null' ? type : `${/^[aeiou]/.test(type) ? 'an' : 'a'} ${type}`))
    .join(' or ');
}

function nameOf({ instancePath, keyword, params }: ErrorObject): string {
  const path = [...keysOf(instancePath)];
  const missing = keyword === 'required' ? params['missingProperty'] : undefined;
  const more = missing ?? params['additionalProperty'] ?? params['unevaluatedProperty'];
  if (typeof more === 'string') path.push(more);
  return path.length === 0 ? '(arguments)' : path.join('.');
}

function keysOf(pointer: string): readonly string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function cut(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`;
}
