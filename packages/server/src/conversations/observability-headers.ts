import type { IncomingHttpHeaders } from 'node:http';
import type { JsonObject } from '@conv/core';
import { isJsonObject } from '@conv/core/platform';
import type { StartConversationRequest } from '@conv/openhands/rest';

import { ApiError } from '../http/api-error.ts';

const PREFIX = 'x-openhands-observability-';

/**
 * Returns a request to start a conversation with what its headers say about traces, as OpenHands' server takes it from 1.52 on. A member of the
 * body wins, and so does each key of its metadata. Throws {@link ApiError} 422 for metadata that is no JSON object.
 */
export function withObservabilityHeaders(
  body: StartConversationRequest,
  asSent: JsonObject,
  headers: IncomingHttpHeaders,
): StartConversationRequest {
  const header = (name: string): string | undefined => {
    const value = headers[PREFIX + name];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const [name, tags, metadata, parent] = ['span-name', 'tags', 'metadata', 'parent-span-context'].map(header);
  return {
    ...body,
    ...(name !== undefined && !('observability_span_name' in asSent) ? { observability_span_name: name } : {}),
    ...(tags !== undefined && !('observability_tags' in asSent) ? { observability_tags: listIn(tags) } : {}),
    ...(metadata === undefined
      ? {}
      : { observability_metadata: { ...metadataIn(metadata), ...body.observability_metadata } }),
    ...(parent !== undefined && !body.observability_parent_span_context
      ? { observability_parent_span_context: parent }
      : {}),
  };
}

function listIn(header: string): string[] {
  return header
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
}

type Metadata = StartConversationRequest['observability_metadata'];

function metadataIn(header: string): Metadata {
  const value = parsed(header);
  if (isJsonObject(value)) return value as Metadata;
  throw new ApiError(422, 'X-OpenHands-Observability-Metadata must be a JSON object');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
