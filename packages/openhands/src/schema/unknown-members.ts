import { checks } from '@conv/core';
import type { z } from 'zod';
import { documentation, documented } from './named.ts';
import { chosenSchema } from './one-of.ts';

/** Maximum number of wrong characters in a misspelt name. Names that differ in more are members of other versions. */
const MOST_WRONG = 2;

/** Maximum number of unknown members that are compared in a body, so that a flood of them costs no more. The others pass. */
const MOST_COMPARED = 1_000;

/** Members that are read although no schema names them: the name of `async` in OpenHands' models, and our own of hooks and client tools. */
const ALSO_READ: ReadonlySet<string> = new Set(['async_', 'on_error', 'onError', 'answers']);

/** A member of a value that the schema of the value does not name. */
interface UnknownMember {
  readonly path: readonly (string | number)[];
  /** The known name that it is nearly; absent if there is none. */
  readonly expected?: string;
}

type Definition = z.core.$ZodTypes['_zod']['def'];

const likes = new WeakMap<z.core.$ZodType, z.core.$ZodType>();

/** Returns a copy of a schema that takes any object. The names of members are those of `like`, which does not check their values. */
export function membersLike<Schema extends z.ZodType>(schema: Schema, like: z.ZodType): Schema {
  const copy = documented(schema.clone(), documentation.get(schema) ?? {});
  likes.set(copy, like);
  return copy;
}

/**
 * Returns the members of a value that are unknown and nearly the name of a known member, each with that name. The default of the known
 * member would silently remain in force.
 *
 * @param value a value that the schema accepts, as it was sent
 */
export function misspeltMembers(
  schema: z.core.$ZodType,
  value: unknown,
): readonly (UnknownMember & { readonly expected: string })[] {
  return comparedMembers(schema, value).filter(
    (member): member is UnknownMember & { readonly expected: string } => member.expected !== undefined,
  );
}

/** Returns the places of the other unknown members of such a value, such as `agent.mood`: members of other versions. */
export function ignoredMembers(schema: z.core.$ZodType, value: unknown): readonly string[] {
  return comparedMembers(schema, value)
    .filter(({ expected }) => expected === undefined)
    .map(({ path }) => path.join('.'));
}

function comparedMembers(schema: z.core.$ZodType, value: unknown): readonly UnknownMember[] {
  const members: UnknownMember[] = [];
  for (const member of unknownMembers(schema, value, [])) if (members.push(member) === MOST_COMPARED) break;
  return members;
}

function* unknownMembers(
  schema: z.core.$ZodType,
  value: unknown,
  path: readonly (string | number)[],
): Generator<UnknownMember> {
  if (typeof value !== 'object' || value === null) return;
  const definition = schema._zod.def as Definition;
  if (definition.type === 'object') return yield* membersOf(definition.shape, value, path);
  if (definition.type === 'pipe') return yield* throughPipe(definition, value, path);
  const items = itemsOf(definition);
  if (items) {
    for (const [name, item] of Object.entries(value))
      yield* unknownMembers(items, item, [...path, Array.isArray(value) ? Number(name) : name]);
    return;
  }
  const inner = likes.get(schema) ?? innerOf(definition);
  if (inner) yield* unknownMembers(inner, value, path);
}

/** Returns the schema of each item of a list or record. */
function itemsOf(definition: Definition): z.core.$ZodType | undefined {
  if (definition.type === 'array') return definition.element;
  return definition.type === 'record' ? definition.valueType : undefined;
}

/** Returns the schema that reads the same value: of a member that may be absent or null, or of itself. */
function innerOf(definition: Definition): z.core.$ZodType | undefined {
  if (definition.type === 'lazy') return definition.getter();
  return 'innerType' in definition ? definition.innerType : undefined;
}

/** Yields the schemas below a pipe: a choice pipes into its reader, and a preprocessed value pipes out of the preprocessing. */
function* throughPipe(
  { in: first, out }: z.core.$ZodPipeDef,
  value: unknown,
  path: readonly (string | number)[],
): Generator<UnknownMember> {
  const chosen = chosenSchema(out, value);
  if (chosen) return yield* unknownMembers(chosen, value, path);
  const definition = first._zod.def as Definition;
  if (definition.type !== 'transform') return yield* unknownMembers(first, value, path);
  yield* unknownMembers(out, definition.transform(value, { value, issues: [] }), path);
}

function* membersOf(
  shape: z.core.$ZodShape,
  value: object,
  path: readonly (string | number)[],
): Generator<UnknownMember> {
  const known = Object.keys(shape);
  for (const [name, member] of Object.entries(value)) {
    const place = [...path, name];
    const schema = Object.hasOwn(shape, name) ? shape[name] : undefined;
    if (schema) yield* unknownMembers(schema, member, place);
    else if (!ALSO_READ.has(name)) {
      const expected = checks.closestName(name, known, MOST_WRONG);
      yield { path: place, ...(expected === undefined ? {} : { expected }) };
    }
  }
}
