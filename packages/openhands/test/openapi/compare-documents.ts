import { SchemaComparison } from './compare-schemas.ts';
import type { Json } from './normal-schema.ts';

/** Differences of two documents, and the amount of them that was compared. */
export interface Comparison {
  readonly differences: readonly string[];
  readonly operations: number;
  readonly members: number;
}

type Operations = Readonly<Record<string, Readonly<Record<string, Json>>>>;

/** Compares path by path and member by member; what is marked `x-extension` here may be here alone. */
export function compareDocuments(reference: Json, ours: Json): Comparison {
  const schemas = new SchemaComparison(reference, ours);
  const found: string[] = [];
  const [theirs, other] = [operationsOf(reference), operationsOf(ours)];
  for (const [name, operation] of theirs) {
    const same = other.get(name);
    if (same === undefined) found.push(`${name}: only in the reference`);
    else compareOperation(name, operation, same, schemas, found);
  }
  for (const [name, operation] of other)
    if (!theirs.has(name) && operation['x-extension'] !== true) found.push(`${name}: only here`);
  return { differences: [...found, ...schemas.differences], operations: theirs.size, members: schemas.members };
}

function compareOperation(name: string, reference: Json, ours: Json, schemas: SchemaComparison, found: string[]): void {
  compareParameters(name, reference, ours, schemas, found);
  compareBodies(
    name,
    reference['requestBody'] as Json | undefined,
    ours['requestBody'] as Json | undefined,
    schemas,
    found,
  );
  const [theirs, other] = [contentsOf(reference), contentsOf(ours)];
  for (const [status, content] of theirs) {
    const same = other.get(status);
    if (same === undefined) found.push(`${name}: status ${status} only in the reference`);
    else compareContents(`${name} ${status}`, content, same, schemas, found);
  }
  for (const status of other.keys()) if (!theirs.has(status)) found.push(`${name}: status ${status} only here`);
}

function compareParameters(
  name: string,
  reference: Json,
  ours: Json,
  schemas: SchemaComparison,
  found: string[],
): void {
  const keyOf = (parameter: Json): string => `${String(parameter['in'])} ${String(parameter['name'])}`;
  const all = (operation: Json): readonly Json[] => (operation['parameters'] ?? []) as readonly Json[];
  for (const parameter of all(reference)) {
    const same = all(ours).find((candidate) => keyOf(candidate) === keyOf(parameter));
    const where = `${name}: ${keyOf(parameter)}`;
    if (same === undefined) found.push(`${where}: only in the reference`);
    else {
      if ((parameter['required'] ?? false) !== same['required']) found.push(`${where}: required differs`);
      schemas.compare(where, parameter['schema'] as Json, same['schema'] as Json);
    }
  }
  for (const parameter of all(ours))
    if (parameter['x-extension'] !== true && !all(reference).some((candidate) => keyOf(candidate) === keyOf(parameter)))
      found.push(`${name}: ${keyOf(parameter)}: only here`);
}

function compareBodies(
  name: string,
  reference: Json | undefined,
  ours: Json | undefined,
  schemas: SchemaComparison,
  found: string[],
): void {
  if (reference === undefined && ours === undefined) return;
  if (reference === undefined || ours === undefined) {
    found.push(`${name}: body only ${reference === undefined ? 'here' : 'in the reference'}`);
    return;
  }
  const required = reference['required'] === true;
  if (required !== ours['required']) found.push(`${name}: body: required: ${required} there, ${!required} here`);
  compareContents(`${name} body`, reference['content'] as Json, ours['content'] as Json, schemas, found);
}

function compareContents(where: string, reference: Json, ours: Json, schemas: SchemaComparison, found: string[]): void {
  for (const [mediaType, content] of Object.entries(reference)) {
    const same = ours[mediaType] as Json | undefined;
    if (same === undefined)
      found.push(`${where}: ${mediaType} there, ${Object.keys(ours).join(', ') || 'nothing'} here`);
    else schemas.compare(where, (content as Json)['schema'] as Json, same['schema'] as Json);
  }
}

function operationsOf(document: Json): ReadonlyMap<string, Json> {
  const entries = Object.entries(document['paths'] as Operations);
  return new Map(
    entries.flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]): [string, Json] => [
        `${method.toUpperCase()} ${path}`,
        operation,
      ]),
    ),
  );
}

function contentsOf(operation: Json): ReadonlyMap<string, Json> {
  const responses = Object.entries(operation['responses'] as Readonly<Record<string, Json>>);
  return new Map(responses.map(([status, response]) => [status, (response['content'] ?? {}) as Json]));
}
