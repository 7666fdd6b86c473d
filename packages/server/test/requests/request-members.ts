/** A part of an OpenAPI document. */
type Part = { readonly [name: string]: unknown };

/** What requests may say. */
export interface Members {
  /** The names of members by the component, or by the route whose query they stand in. */
  readonly members: ReadonlyMap<string, readonly string[]>;
  /** Routes of the document that are not served, as `GET /path`. */
  readonly notServed: readonly string[];
}

/** Where a schema may stand in another one. */
const PLACES = ['anyOf', 'oneOf', 'allOf', 'items', 'additionalProperties', 'prefixItems'];

/** Collects the members of the bodies and queries of the routes that are served, with those of all that is in them. */
export function requestMembers(document: object, served: ReadonlySet<string>): Members {
  const { paths, components } = document as { readonly paths: Part; readonly components: { readonly schemas: Part } };
  const members = new Map<string, readonly string[]>();
  const notServed: string[] = [];
  const visit = (schema: unknown): void => {
    if (Array.isArray(schema)) return schema.forEach(visit);
    if (!isPart(schema)) return;
    const { $ref: reference, properties } = schema;
    if (typeof reference === 'string') return visitComponent(reference.slice(reference.lastIndexOf('/') + 1));
    for (const place of PLACES) visit(schema[place]);
    if (isPart(properties)) Object.values(properties).forEach(visit);
  };
  const visitComponent = (name: string): void => {
    if (members.has(name)) return;
    const component = components.schemas[name];
    members.set(name, isPart(component) && isPart(component['properties']) ? Object.keys(component['properties']) : []);
    visit(component);
  };
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(operations as Readonly<Record<string, Operation>>)) {
      const route = `${method.toUpperCase()} ${path}`;
      if (!served.has(route) && !served.has(`${route.replace(/\}$/, ':path}')}`)) {
        notServed.push(route);
        continue;
      }
      const query = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query');
      if (query.length > 0)
        members.set(
          route,
          query.map(({ name }) => name),
        );
      visit(operation.requestBody?.content['application/json']?.schema);
    }
  }
  return { members, notServed };
}

interface Operation {
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: unknown } | undefined>> };
}

function isPart(value: unknown): value is Part {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
