import { openApiDocument } from '@conv/openhands';
import { eventSchemas } from '@conv/core/events';
import { routes } from '@conv/openhands/rest';
import { sockets } from '@conv/openhands/sockets';

/**
 * The server's side in the form in which `describe_release.py` describes a release: routes with the members of their requests and answers,
 * objects with their members, sockets, and kinds of events.
 *
 * @typedef {{ routes: ReadonlyMap<string, ReadonlySet<string>>, schemas: ReadonlyMap<string, ReadonlySet<string>>, served: ReadonlySet<string>, typed: ReadonlySet<string> }} Ours
 */

/** @returns {Ours} */
export function ourMembers() {
  const document = /** @type {Record<string, any>} */ (openApiDocument({ title: 'ours', version: '0' }));
  const schemas = document['components'].schemas;
  /** @type {Map<string, ReadonlySet<string>>} */
  const served = new Map();
  for (const { method, path } of routes) {
    const operation = document['paths'][path][method.toLowerCase()];
    const answer = Object.entries(operation.responses).find(([status]) => status.startsWith('2'))?.[1];
    /** @type {{ name: string, in: string }[]} */
    const parameters = operation.parameters;
    const beside = [...parameters, ...credentialsOf(document, operation)]
      .filter(({ in: place }) => place !== 'path')
      .map(({ name, in: place }) => `${place} ${name}`);
    const body = contentMembers(schemas, operation.requestBody).map((name) => `body ${name}`);
    const told = contentMembers(schemas, answer).map((name) => `answer ${name}`);
    served.set(plain(`${method} ${path}`), new Set([...beside, ...body, ...told]));
  }
  // the same answer at the root, which is no route of the table
  served.set('GET /', served.get('GET /server_info') ?? new Set());
  return {
    routes: served,
    schemas: new Map(Object.entries(schemas).map(([name, schema]) => [name, new Set(members(schemas, schema))])),
    served: new Set([...routes.map(({ method, path }) => `${method} ${path}`), ...sockets.map(({ path }) => path)]),
    typed: new Set(Object.keys(eventSchemas)),
  };
}

/**
 * Returns where a request to a route may carry a key, as parameters.
 *
 * @param {Record<string, any>} document
 * @param {{ security: Record<string, unknown>[] }} operation
 * @returns {{ name: string, in: string }[]}
 */
function credentialsOf({ components: { securitySchemes: schemes } }, { security }) {
  return security
    .flatMap((each) => Object.keys(each))
    .map((name) => (schemes[name].type === 'http' ? { in: 'header', name: 'Authorization' } : schemes[name]));
}

/**
 * @param {Record<string, any>} schemas
 * @param {any} part
 * @returns {string[]}
 */
function contentMembers(schemas, part) {
  /** @type {{ schema: any }[]} */
  const contents = Object.values(part?.content ?? {});
  return contents.flatMap(({ schema }) => members(schemas, schema));
}

/**
 * The names of the members of an object, or of all objects that a union allows.
 *
 * @param {Record<string, any>} schemas
 * @param {any} schema
 * @returns {string[]}
 */
function members(schemas, schema, depth = 0) {
  if (depth > 6 || schema === undefined) return [];
  if (schema.$ref) return members(schemas, schemas[schema.$ref.split('/').at(-1)], depth + 1);
  const unions = [schema.anyOf, schema.oneOf, schema.allOf].flatMap((union) => union ?? []);
  return [...Object.keys(schema.properties ?? {}), ...unions.flatMap((each) => members(schemas, each, depth + 1))];
}

/**
 * Returns the name of a route with a star for each parameter, because servers name them as they like.
 *
 * @param {string} name
 */
export const plain = (name) => name.replaceAll(/\{[^}]+\}/g, '*');

/**
 * Returns what a release has and this server does not: routes, members of requests and answers, and sockets.
 *
 * @param {{ routes: Record<string, Record<string, string[]>>, sockets: string[] }} described
 * @param {Ours} ours
 * @returns {string[]}
 */
export function missingHere({ routes: theirs, sockets: theirSockets }, ours) {
  const missing = Object.entries(theirs).flatMap(([name, places]) => {
    const known = ours.routes.get(plain(name));
    if (known === undefined) return [name];
    const members = Object.entries(places).flatMap(([place, names]) => names.map((member) => `${place} ${member}`));
    return members.filter((member) => !known.has(member)).map((member) => `${name}: ${member}`);
  });
  return [...missing, ...theirSockets.filter((path) => !ours.served.has(path))];
}
