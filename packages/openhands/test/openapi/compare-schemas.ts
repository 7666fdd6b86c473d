import { isDeepStrictEqual } from 'node:util';
import { type Alternative, type Json, normalise, type NormalSchema } from './normal-schema.ts';

const BOUNDS = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'pattern',
];
const FORMATS = new Set<unknown>(['uuid', 'date-time']);

/** Compares the schemas of two documents, each named one once, and notes what differs. */
export class SchemaComparison {
  readonly differences = new Set<string>();
  /** Number of members of objects that were compared. */
  members = 0;
  readonly #seen = new Set<string>();
  readonly #reference: Json;
  readonly #ours: Json;

  constructor(reference: Json, ours: Json) {
    this.#reference = reference;
    this.#ours = ours;
  }

  compare(where: string, referenceSchema: Json, ourSchema: Json): void {
    const reference = normalise(referenceSchema, this.#reference);
    const ours = normalise(ourSchema, this.#ours);
    this.#values(where, 'nullable', reference.nullable, ours.nullable);
    this.#values(where, 'default', reference.default, ours.default);
    if (reference.name !== undefined) {
      const pair = `${String(reference.component)} ${ours.component ?? where}`;
      if (this.#seen.has(pair)) return;
      this.#seen.add(pair);
    }
    this.#alternatives(reference.name ?? where, reference, ours);
  }

  #alternatives(where: string, reference: NormalSchema, ours: NormalSchema): void {
    const labels = (schema: NormalSchema): string[] => schema.alternatives.map(({ label }) => label);
    if (reference.alternatives.length === 0 || ours.alternatives.length === 0) {
      this.#values(where, 'type', labels(reference).join(' | ') || 'any', labels(ours).join(' | ') || 'any');
      return;
    }
    const [theirs, other] = [reference.alternatives, ours.alternatives];
    if (theirs.length === 1 && other.length === 1) return this.#forms(where, theirs[0], other[0]);
    this.#listed(where, 'alternatives', labels(reference), labels(ours));
    for (const alternative of theirs) {
      const same = other.find(({ label }) => label === alternative.label);
      if (same !== undefined)
        this.#forms(alternative.schema['$ref'] === undefined ? where : alternative.label, alternative, same);
    }
  }

  #forms(where: string, reference: Alternative | undefined, ours: Alternative | undefined): void {
    if (reference === undefined || ours === undefined) return;
    const [theirs, other] = [this.#resolved(reference, this.#reference), this.#resolved(ours, this.#ours)];
    if (reference.schema['$ref'] !== undefined) {
      const pair = JSON.stringify([reference.schema['$ref'], ours.schema['$ref']]);
      if (this.#seen.has(pair)) return;
      this.#seen.add(pair);
    }
    this.#values(where, 'type', typeOf(theirs), typeOf(other));
    if (typeOf(theirs) !== typeOf(other)) return;
    this.#values(where, 'values', valuesOf(theirs), valuesOf(other));
    for (const bound of BOUNDS) this.#values(where, bound, theirs[bound], other[bound]);
    if (FORMATS.has(theirs['format'])) this.#values(where, 'format', theirs['format'], other['format']);
    if (theirs['type'] === 'array') this.#items(where, theirs, other);
    if (theirs['type'] === 'object') this.#objects(where, theirs, other);
  }

  #items(where: string, reference: Json, ours: Json): void {
    const [theirs, other] = [tupleOf(reference), tupleOf(ours)];
    this.#values(where, 'length', theirs.length, other.length);
    theirs.forEach((item, index) => this.compare(`${where}[${index}]`, item, other[index] ?? {}));
    if (theirs.length > 0) return;
    this.compare(`${where}[]`, (reference['items'] ?? {}) as Json, (ours['items'] ?? {}) as Json);
  }

  #objects(where: string, reference: Json, ours: Json): void {
    const [theirs, other] = [propertiesOf(reference), propertiesOf(ours)];
    const own = Object.keys(other).filter((name) => name in theirs || other[name]?.['x-extension'] !== true);
    this.#listed(where, 'members', Object.keys(theirs), own);
    for (const [name, schema] of Object.entries(theirs)) {
      const same = other[name];
      if (same === undefined) continue;
      this.members += 1;
      this.#values(`${where}.${name}`, 'required', isRequired(reference, name), isRequired(ours, name));
      this.compare(`${where}.${name}`, schema, same);
    }
    const [theirRest, ourRest] = [reference['additionalProperties'], ours['additionalProperties']];
    this.#values(
      where,
      'other members',
      theirRest === false ? 'refused' : 'taken',
      ourRest === false ? 'refused' : 'taken',
    );
    if (isSchema(theirRest) && isSchema(ourRest)) this.compare(`${where}{}`, theirRest, ourRest);
    else if (isSchema(theirRest)) this.#values(where, 'map of', 'described', 'any');
  }

  #resolved({ schema }: Alternative, document: Json): Json {
    if (schema['$ref'] === undefined) return schema;
    const of = normalise(schema, document).alternatives[0];
    return of === undefined ? {} : of.schema;
  }

  #listed(where: string, what: string, reference: readonly string[], ours: readonly string[]): void {
    const missing = reference.filter((name) => !ours.includes(name));
    const more = ours.filter((name) => !reference.includes(name));
    if (missing.length > 0)
      this.differences.add(`${where}: ${what} only in the reference: ${missing.sort().join(', ')}`);
    if (more.length > 0) this.differences.add(`${where}: ${what} only here: ${more.sort().join(', ')}`);
  }

  #values(where: string, what: string, reference: unknown, ours: unknown): void {
    if (!isDeepStrictEqual(reference, ours))
      this.differences.add(
        `${where}: ${what}: ${String(JSON.stringify(reference))} there, ${String(JSON.stringify(ours))} here`,
      );
  }
}

function propertiesOf(schema: Json): Readonly<Record<string, Json>> {
  return (schema['properties'] ?? {}) as Readonly<Record<string, Json>>;
}

function isRequired(schema: Json, name: string): boolean {
  return ((schema['required'] ?? []) as readonly string[]).includes(name);
}

function tupleOf(schema: Json): readonly Json[] {
  return (schema['prefixItems'] ?? []) as readonly Json[];
}

function typeOf(schema: Json): unknown {
  return schema['type'] ?? ('const' in schema ? typeof schema['const'] : 'enum' in schema ? 'string' : 'any');
}

function valuesOf(schema: Json): unknown {
  if ('const' in schema) return [String(schema['const'])];
  return Array.isArray(schema['enum'])
    ? (schema['enum'] as unknown[]).map(String).toSorted((a, b) => (a < b ? -1 : 1))
    : undefined;
}

function isSchema(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}
