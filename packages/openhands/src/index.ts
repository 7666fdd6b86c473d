/**
 * The OpenAPI document of an agent server that speaks OpenHands' protocol.
 *
 * @packageDocumentation
 */
export type { JsonSchema } from './openapi/json-schema.ts';
export {
  type OpenApiDocument,
  openApiDocument,
  type OpenApiInfo,
  type OpenApiOperation,
  type OpenApiParameter,
  type OpenApiResponse,
} from './openapi/open-api-document.ts';
