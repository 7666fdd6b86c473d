import { z } from 'zod';
import { errorBodySchema, serverErrorBodySchema, validationDetailSchema } from '../rest/errors/error-body.ts';
import { IDEMPOTENCY_KEY_HEADER } from '../rest/conversations/event-routes.ts';
import { EXPOSE_SECRETS_HEADER } from '../rest/settings/expose-secrets.ts';
import type { Route, RouteAuth } from '../rest/route.ts';
import { routes } from '../rest/routes.ts';
import { sockets } from '../sockets/sockets.ts';
import { describeEvents } from './event-components.ts';
import { componentSchemas, type JsonSchema, jsonSchemaOf } from './json-schema.ts';

/** Title, version and description in an OpenAPI document. */
export interface OpenApiInfo {
  readonly title: string;
  readonly version: string;
  readonly description?: string;
}

/** A parameter of an operation. */
export interface OpenApiParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly schema: JsonSchema;
  readonly [note: string]: unknown;
}

/** Answer of an operation with one status. */
export interface OpenApiResponse {
  readonly description: string;
  readonly content?: Readonly<Record<string, { readonly schema: JsonSchema }>>;
}

/** Operation of an OpenAPI document. */
export interface OpenApiOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly parameters: readonly OpenApiParameter[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>>;
  };
  readonly responses: Readonly<Record<string, OpenApiResponse>>;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly [note: string]: unknown;
}

/** An OpenAPI 3.1 document. Parts that OpenHands' server lacks are marked `x-extension`; `x-sockets` lists the WebSockets. */
export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: OpenApiInfo;
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly securitySchemes: Readonly<Record<string, JsonSchema>>;
  };
  readonly 'x-sockets': readonly JsonSchema[];
}

const SECURITY: Readonly<Record<RouteAuth, readonly Readonly<Record<string, readonly string[]>>[]>> = {
  session: [{ sessionKey: [] }],
  workspace: [{ sessionKey: [] }, { workspaceCookie: [] }],
  stream: [{ sessionKey: [] }, { streamTicket: [] }],
  bearer: [{ bearer: [] }],
  none: [],
};

const SCHEMES = {
  sessionKey: { type: 'apiKey', in: 'header', name: 'X-Session-API-Key' },
  workspaceCookie: { type: 'apiKey', in: 'cookie', name: 'oh_workspace_session_key' },
  streamTicket: { type: 'apiKey', in: 'query', name: 'ticket' },
  bearer: { type: 'http', scheme: 'bearer' },
};

const json = (schema: z.ZodType): Readonly<Record<string, { readonly schema: JsonSchema }>> => ({
  'application/json': { schema: jsonSchemaOf(schema) },
});

/**
 * Returns the OpenAPI document of a server with these routes, which it serves as `/openapi.json`.
 * @param served the routes that the server has; by default all
 */
export function openApiDocument(info: OpenApiInfo, served: readonly Route[] = routes): OpenApiDocument {
  describeEvents();
  const paths: Record<string, Record<string, OpenApiOperation>> = {};
  for (const route of served) (paths[route.path] ??= {})[route.method.toLowerCase()] = operationOf(route);
  return {
    openapi: '3.1.0',
    info,
    paths,
    components: { schemas: componentSchemas(), securitySchemes: SCHEMES },
    'x-sockets': sockets.map((socket) => ({
      path: socket.path,
      parameters: [...parametersOf(socket.params, 'path'), ...parametersOf(socket.query, 'query')],
      serverFrame: jsonSchemaOf(socket.serverFrame),
      clientFrame: jsonSchemaOf(socket.clientFrame),
      ...(socket.extension === undefined ? {} : { 'x-extension': true }),
    })),
  };
}

function operationOf(route: Route): OpenApiOperation {
  const body = requestBodyOf(route);
  return {
    operationId: route.operationId,
    summary: route.summary,
    tags: [route.tag],
    parameters: [...parametersOf(route.params, 'path'), ...parametersOf(route.query, 'query'), ...headersOf(route)],
    ...(body === undefined ? {} : { requestBody: body }),
    responses: responsesOf(route),
    security: SECURITY[route.auth],
    ...(route.extension === undefined ? {} : { 'x-extension': true }),
  };
}

function parametersOf(schema: z.ZodType | undefined, where: 'path' | 'query'): readonly OpenApiParameter[] {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = jsonSchemaOf(schema) as {
    readonly properties?: Readonly<Record<string, JsonSchema>>;
    readonly required?: readonly string[];
  };
  return Object.entries(properties).map(([name, { 'x-extension': extension, ...member }]) => ({
    name,
    in: where,
    required: where === 'path' || required.includes(name),
    schema: member,
    ...(extension === undefined ? {} : { 'x-extension': extension }),
  }));
}

function headersOf(route: Route): readonly OpenApiParameter[] {
  const text = { type: 'string', minLength: 1, maxLength: 200 };
  return [
    ...(route.idempotencyKey ? [headerOf(IDEMPOTENCY_KEY_HEADER, text)] : []),
    ...(route.exposeSecrets ? [headerOf(EXPOSE_SECRETS_HEADER, { enum: ['encrypted', 'plaintext', 'true'] })] : []),
    ...(route.headers ?? []).map((name) => headerOf(name, { type: 'string' })),
  ];
}

function headerOf(name: string, schema: JsonSchema): OpenApiParameter {
  return { name, in: 'header', required: false, schema, 'x-extension': true };
}

function requestBodyOf(route: Route): OpenApiOperation['requestBody'] {
  if (route.upload !== undefined) {
    const file = { type: 'string', contentMediaType: 'application/octet-stream' };
    const schema = { type: 'object', properties: { [route.upload]: file }, required: [route.upload] };
    return { required: true, content: { 'multipart/form-data': { schema } } };
  }
  if (route.body === undefined) return undefined;
  return { required: route.bodyOptional === undefined, content: json(route.body) };
}

function responsesOf(route: Route): Readonly<Record<string, OpenApiResponse>> {
  const responses: Record<string, OpenApiResponse> = { [route.success]: successOf(route) };
  for (const [status, description] of Object.entries(route.otherSuccess ?? {}))
    responses[status] = { ...responses[route.success], description };
  for (const [status, description] of Object.entries(route.errors ?? {}))
    responses[status] = { description, content: json(Number(status) >= 500 ? serverErrorBodySchema : errorBodySchema) };
  if (route.auth !== 'none')
    responses[401] = { description: 'The key is missing or wrong.', content: json(errorBodySchema) };
  if (route.params !== undefined || route.query !== undefined || route.body !== undefined || route.upload !== undefined)
    responses[422] = { description: 'The request does not fit.', content: json(validationDetailSchema) };
  responses['default'] = { description: 'Any other failure.', content: json(errorBodySchema) };
  return responses;
}

function successOf(route: Route): OpenApiResponse {
  const description = route.summary;
  if (route.answer === 'empty') return { description };
  if (route.answer instanceof z.ZodType) return { description, content: json(route.answer) };
  return { description, content: { [route.answer.mediaType]: { schema: { type: 'string', format: 'binary' } } } };
}
