/** A JSON schema, or a document of them, as parsed. */
export interface Json {
  readonly [key: string]: unknown;
}

/** Meaning of a schema, independent of its wording. */
export interface NormalSchema {
  /** The component's name, without the part that tells reading from writing. */
  readonly name?: string;
  /** Its whole name. */
  readonly component?: string;
  readonly nullable: boolean;
  /** A default that says more than empty or null. */
  readonly default?: unknown;
  /** More than one: any of them may hold. None: anything goes. */
  readonly alternatives: readonly Alternative[];
  readonly extension: boolean;
}

/** Form of a value. */
export interface Alternative {
  readonly label: string;
  readonly schema: Json;
}

/** Names that differ from the reference's for no reason but that those are made by a generator. */
const SAME_NAMES: Readonly<Record<string, string>> = {
  openhands__sdk__tool__spec__Tool: 'Tool',
  openhands__sdk__tool__tool__ToolAnnotations: 'ToolAnnotations',
  ReasoningItemModel: 'ReasoningItem',
};

/** The name of a component without what tells reading from writing. */
function plainName(name: string): string {
  const base = name.replace(/-(Input|Output)$/, '');
  return SAME_NAMES[base] ?? base;
}

/** Resolves references and brings the spellings of null, default and choice into one form. */
export function normalise(schema: Json, document: Json): NormalSchema {
  const reference = schema['$ref'];
  if (typeof reference === 'string') {
    const name = reference.slice(reference.lastIndexOf('/') + 1);
    return {
      ...normalise(componentOf(document, name), document),
      component: name,
      name: plainName(name),
      ...ownDefault(schema),
    };
  }
  const options = (schema['anyOf'] ?? schema['oneOf']) as readonly Json[] | undefined;
  const parts = options === undefined ? typesOf(schema) : options.flatMap((option) => flat(option, document));
  const alternatives = unique(parts.filter(({ label }) => label !== 'null'));
  return {
    nullable: parts.some(({ label }) => label === 'null'),
    alternatives,
    extension: schema['x-extension'] === true,
    ...(options?.length === 2 && alternatives.length === 1 ? nameOf(options) : {}),
    ...ownDefault(schema),
  };
}

function flat(option: Json, document: Json): readonly Alternative[] {
  const reference = option['$ref'];
  if (typeof reference !== 'string')
    return option['anyOf']
      ? (option['anyOf'] as readonly Json[]).flatMap((inner) => flat(inner, document))
      : typesOf(option);
  const name = reference.slice(reference.lastIndexOf('/') + 1);
  const target = componentOf(document, name);
  const choice = (target['anyOf'] ?? target['oneOf']) as readonly Json[] | undefined;
  return choice === undefined
    ? [{ label: plainName(name), schema: option }]
    : choice.flatMap((inner) => flat(inner, document));
}

function nameOf(options: readonly Json[]): { readonly name?: string; readonly component?: string } {
  const reference = options.map((option) => option['$ref']).find((ref) => typeof ref === 'string');
  if (typeof reference !== 'string') return {};
  const component = reference.slice(reference.lastIndexOf('/') + 1);
  return { component, name: plainName(component) };
}

function typesOf(schema: Json): readonly Alternative[] {
  const { type } = schema;
  if (Array.isArray(type))
    return type.map((one: unknown) => ({ label: String(one), schema: { ...schema, type: one } }));
  if (typeof type === 'string') return [{ label: type, schema }];
  if ('const' in schema) return [{ label: typeof schema['const'], schema }];
  return 'enum' in schema ? [{ label: 'string', schema }] : [];
}

/** A text that may be secret, or may be a time, is a text. */
function unique(parts: readonly Alternative[]): readonly Alternative[] {
  const plainFirst = parts.toSorted((a, b) => Number('format' in a.schema) - Number('format' in b.schema));
  const chosen = new Set(
    plainFirst.filter((part, index) => plainFirst.findIndex(({ label }) => label === part.label) === index),
  );
  return parts.filter((part) => chosen.has(part));
}

function ownDefault(schema: Json): { readonly default?: unknown } {
  const value = schema['default'];
  if (value === undefined || value === null) return {};
  if (typeof value === 'object' && Object.keys(value).length === 0) return {};
  return { default: value };
}

function componentOf(document: Json, name: string): Json {
  const { schemas } = document['components'] as { readonly schemas: Readonly<Record<string, Json>> };
  const found = schemas[name];
  if (found === undefined) throw new Error(`the document has no component ${name}`);
  return found;
}
