/** A part of an OpenAPI document. */
type Part = { readonly [name: string]: unknown };

/** Members of requests, and their places. */
export interface Members {
  /** The names of members by the component, or by the route whose query they stand in. */
  readonly members: ReadonlyMap<string, readonly string[]>;
  /**
   * By component: each route with the member of its body in which the component may stand, as `POST /path member`; the route alone for
   * the body itself. Frames that clients send on a socket are bodies of `WS /path`.
   */
  readonly holders: ReadonlyMap<string, ReadonlySet<string>>;
  /** Routes of the document that are not served, as `GET /path`. */
  readonly notServed: readonly string[];
}

/** Keywords whose value is a list of alternative schemas. */
const CHOICES = ['anyOf', 'oneOf', 'allOf'];

/** Keywords that may hold a schema inside another schema. */
const PLACES = [...CHOICES, 'items', 'additionalProperties', 'prefixItems'];

/** Components that the server reads in members which the document declares as any object. */
const READ_AS: Readonly<Record<string, string>> = {
  'StartConversationRequest.agent_settings': 'AgentSettings',
  'UpdateSettingsRequest.agent_settings_diff': 'AgentSettings',
  'UpdateSettingsRequest.conversation_settings_diff': 'ConversationSettings',
};

/** Collects the members of the bodies, frames and queries of served routes, including nested members. */
export function requestMembers(document: object, served: ReadonlySet<string>): Members {
  const { paths, components, 'x-sockets': sockets } = document as Document;
  const found = new Components(components.schemas);
  const notServed: string[] = [];
  for (const [path, operations] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const route = `${method.toUpperCase()} ${path}`;
      if (!served.has(route) && !served.has(`${route.replace(/\}$/, ':path}')}`)) {
        notServed.push(route);
        continue;
      }
      const query = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query');
      if (query.length > 0)
        found.members.set(
          route,
          query.map(({ name }) => name),
        );
      found.addBody(operation.requestBody?.content['application/json']?.schema, route);
    }
  }
  for (const { path, clientFrame } of sockets) found.addBody(clientFrame, `WS ${path}`);
  return { members: found.members, holders: found.holders, notServed };
}

/** The components that are reached from bodies. */
class Components {
  readonly members: Map<string, readonly string[]> = new Map();
  readonly holders: Map<string, Set<string>> = new Map();
  readonly #schemas: Part;

  constructor(schemas: Part) {
    this.#schemas = schemas;
  }

  /** Adds the components of a body: the body itself under the route, nested components under the route and the member. */
  addBody(schema: unknown, route: string): void {
    if (!isPart(schema)) return;
    for (const place of CHOICES) listOf(schema[place]).forEach((choice) => this.addBody(choice, route));
    const name = nameOf(schema);
    if (name !== undefined) this.#hold(name, route);
    for (const [member, part] of this.#membersOf(schema)) this.#visit(part, `${route} ${member}`);
  }

  #visit(schema: unknown, holder: string): void {
    if (!isPart(schema)) return listOf(schema).forEach((part) => this.#visit(part, holder));
    const name = nameOf(schema);
    if (name !== undefined && !this.#hold(name, holder)) return;
    const whole = name === undefined ? schema : this.#schemas[name];
    if (isPart(whole)) for (const place of PLACES) this.#visit(whole[place], holder);
    for (const [, part] of this.#membersOf(schema)) this.#visit(part, holder);
  }

  /** Returns false if the holder is known to hold the component. */
  #hold(name: string, holder: string): boolean {
    const holders = this.holders.get(name) ?? new Set();
    if (holders.has(holder)) return false;
    this.holders.set(name, holders.add(holder));
    this.members.set(
      name,
      this.#membersOf(this.#schemas[name]).map(([member]) => member),
    );
    return true;
  }

  /** The members of an object, of a component by its name, and of those choices between objects that have no name. */
  #membersOf(schema: unknown): readonly (readonly [string, unknown])[] {
    if (!isPart(schema)) return [];
    const name = nameOf(schema);
    if (name !== undefined)
      return this.#membersOf(this.#schemas[name]).map(([member, part]) => {
        const read = READ_AS[`${name}.${member}`];
        return [member, read === undefined ? part : { $ref: read }];
      });
    const chosen = CHOICES.flatMap((place) => listOf(schema[place])).filter(
      (choice) => isPart(choice) && nameOf(choice) === undefined,
    );
    const own = isPart(schema['properties']) ? Object.entries(schema['properties']) : [];
    return [...new Map([...own, ...chosen.flatMap((choice) => this.#membersOf(choice))])];
  }
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Part };
  readonly 'x-sockets': readonly { readonly path: string; readonly clientFrame: unknown }[];
}

interface Operation {
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: unknown } | undefined>> };
}

/** The name of the component that a schema refers to. */
function nameOf({ $ref: reference }: Part): string | undefined {
  return typeof reference === 'string' ? reference.slice(reference.lastIndexOf('/') + 1) : undefined;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isPart(value: unknown): value is Part {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
