/** @typedef {{ method: string, path: string, body?: unknown, headers?: object, wrong: string }} WrongRequest */

/** An id that nothing has. */
const NEVER = '11111111-2222-4333-8444-555555555555';

/** Methods of operations; the other members of a path are none. */
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/**
 * Makes requests that are wrong in a single thing each: the key is missing, the body is missing or of another kind, or one parameter of the path, the query or
 * the body is. They are made from the document of a server, for each of its operations.
 *
 * @param {any} document OpenAPI
 * @param {{ conversation?: string }} [given] the conversation of paths that name one. Default: a missing conversation.
 * @returns {WrongRequest[]}
 */
export function wrongRequests(document, { conversation = NEVER } = {}) {
  return Object.entries(document.paths).flatMap(([path, operations]) =>
    METHODS.filter((method) => operations[method]).flatMap((method) =>
      ofOperation(document, { path, method, operation: operations[method], conversation }),
    ),
  );
}

function ofOperation(document, { path, method, operation, conversation }) {
  const parameters = operation.parameters ?? [];
  const sample = (parameter) =>
    parameter.name.endsWith('conversation_id') ? conversation : sampleOf(document, parameter.schema);
  const right = {
    path: Object.fromEntries(
      parameters.filter(({ in: where }) => where === 'path').map((each) => [each.name, sample(each)]),
    ),
    query: Object.fromEntries(
      parameters
        .filter(({ in: where, required }) => where === 'query' && required)
        .map((each) => [each.name, sample(each)]),
    ),
  };
  // no client of the Fetch API can send a body with a GET
  const schema = method === 'get' ? undefined : operation.requestBody?.content?.['application/json']?.schema;
  const body = schema && sampleOf(document, schema);
  const request = (wrong, { query = {}, path: names = {}, ...more }) => ({
    method: method.toUpperCase(),
    path: written(path, { ...right.path, ...names }, { ...right.query, ...query }),
    ...(body === undefined ? {} : { body }),
    ...more,
    wrong,
  });
  return [
    request('no key', { headers: { 'x-session-api-key': undefined } }),
    ...parameters
      .filter(({ in: where }) => where === 'path' || where === 'query')
      .flatMap(({ name, in: where, schema: of, required }) => [
        ...wrongTexts(document, name, of).map((value) =>
          request(`${where} ${name} ${value}`, { [where]: { [name]: value } }),
        ),
        ...(required && where === 'query' ? [request(`no query ${name}`, { query: { [name]: undefined } })] : []),
      ]),
    ...(schema === undefined
      ? []
      : wrongBodies(document, schema, body).map(([wrong, value]) => request(wrong, { body: value }))),
  ];
}

function written(path, names, query) {
  const asked = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(asked.map(([name, value]) => [name, String(value)])).toString();
  return (
    path.replaceAll(/\{(\w+)(?::path)?\}/g, (_, name) => encodeURIComponent(names[name])) + (search && `?${search}`)
  );
}

/** Returns texts that a parameter does not take, and pages and ids that are not there. */
function wrongTexts(document, name, schema) {
  const of = without(document, schema);
  const { type, format, pattern, minimum, exclusiveMinimum, maximum } = of;
  const values = of.enum ?? (of.const === undefined ? undefined : [of.const]);
  if (name === 'page_id') return ['none'];
  if (values || type === 'boolean' || format || pattern) return ['no_such ☃'];
  if (type !== 'integer' && type !== 'number') return [];
  const bounds = [
    ...(minimum === undefined ? [] : [minimum - 1]),
    ...(exclusiveMinimum === undefined ? [] : [exclusiveMinimum]),
    ...(maximum === undefined ? [] : [maximum + 1]),
  ];
  return ['x', ...bounds.map(String)];
}

/** Returns bodies that are wrong, each with what is wrong with it. `undefined` stands for none. */
function wrongBodies(document, schema, right) {
  return [
    ['no body', undefined],
    ['body []', []],
    ['body 7', 7],
    ['body null', null],
    ...wrongObjects(document, schema, right, 'body'),
  ];
}

/** Returns objects of which one member is wrong, or one member of an object in them. */
function wrongObjects(document, schema, right, place, isOuter = true) {
  const { properties = {}, required = [] } = without(document, schema);
  return Object.entries(properties).flatMap(([name, of]) => [
    ...(required.includes(name) ? [[`${place} without ${name}`, { ...right, [name]: undefined }]] : []),
    ...wrongValues(document, of).map((value) => [
      `${place} ${name} ${JSON.stringify(value)}`,
      { ...right, [name]: value },
    ]),
    ...(isOuter ? kindsOf(document, of) : []).flatMap((kind) =>
      wrongObjects(document, kind, sampleOf(document, kind), `${place} ${name}`, false).map(([wrong, value]) => [
        wrong,
        { ...right, [name]: value },
      ]),
    ),
  ]);
}

/** Returns the kinds of objects that a member can be. */
function kindsOf(document, schema) {
  const of = without(document, schema);
  return (of.anyOf ?? of.oneOf ?? [of]).map((each) => without(document, each)).filter(({ properties }) => properties);
}

/** Returns values that a member does not take; none if it takes anything. */
function wrongValues(document, schema) {
  const of = without(document, schema);
  const others = (of.anyOf ?? of.oneOf ?? [of]).map((each) => without(document, each));
  const types = new Set(others.map(({ type, enum: values }) => type ?? (values ? 'string' : undefined)));
  if (types.has(undefined)) return [];
  const numbers = types.has('integer') || types.has('number') || types.has('boolean');
  return [
    ...(types.has('object') || types.has('array') ? [] : [{}]),
    ...(types.has('string') ? [] : ['x']),
    ...(types.has('string') && !numbers && !types.has('object') && !types.has('array') ? [7] : []),
    ...(others.some(({ format, pattern, enum: values }) => format === 'uuid' || pattern || values)
      ? ['no_such ☃']
      : []),
    ...(others.some(({ minLength }) => minLength) ? [''] : []),
    ...others.flatMap(({ minimum, exclusiveMinimum, maximum }) => [
      ...(minimum === undefined ? [] : [minimum - 1]),
      ...(exclusiveMinimum === undefined ? [] : [exclusiveMinimum]),
      ...(maximum === undefined ? [] : [maximum + 1]),
    ]),
  ];
}

/** Returns a value that a schema takes, with the required members alone. */
function sampleOf(document, schema) {
  const of = without(document, schema);
  if (of.default !== undefined) return of.default;
  if (of.const !== undefined) return of.const;
  if (of.enum) return of.enum[0];
  const { type, format, minimum, properties = {}, required = [] } = of;
  if (type === 'object')
    return Object.fromEntries(required.map((name) => [name, sampleOf(document, properties[name] ?? {})]));
  if (type === 'array') return [];
  if (type === 'boolean') return false;
  if (type === 'integer' || type === 'number') return minimum ?? 1;
  return format === 'uuid' ? NEVER : 'none';
}

/** Returns a schema without a reference, and without null beside another kind. */
function without(document, schema) {
  const { $ref, anyOf, ...rest } = schema;
  if ($ref !== undefined) return without(document, { ...document.components.schemas[$ref.split('/').at(-1)], ...rest });
  const some = anyOf?.filter(({ type }) => type !== 'null');
  if (some?.length === 1) return without(document, { ...some[0], ...rest });
  return some ? { ...rest, anyOf: some } : rest;
}
