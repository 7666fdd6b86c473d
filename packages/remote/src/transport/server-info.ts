import type { JsonObject } from '@conv/core/events';
import { serverRoutes } from '@conv/openhands/rest';

import { toServerCall } from './call-route.ts';
import { parseJson, type ServerClient } from './server-client.ts';

/** Description that a server gives of itself. */
export interface ServerInfo {
  readonly version: string | null;
  /** Names of its capabilities beyond the protocol's first version. */
  readonly capabilities: ReadonlySet<string>;
  /** The whole description. */
  readonly all: JsonObject;
}

/**
 * Asks a server for its description. A server without this route has no capabilities beyond the protocol's first version; it must
 * then answer the health check, or it is no agent server and the call rejects as the health check does.
 */
export async function readServerInfo(client: ServerClient, signal?: AbortSignal): Promise<ServerInfo> {
  const call = toServerCall(serverRoutes.getInfo, {}, { expect: [404], signal });
  const answer = await client.send(call);
  if (answer.status === 404) await client.send(toServerCall(serverRoutes.getHealth, {}, { signal }));
  const said = answer.status === 404 ? {} : parseJson(answer, call);
  const all = (typeof said === 'object' && said !== null ? said : {}) as JsonObject;
  const { version, capabilities } = all;
  return {
    version: typeof version === 'string' ? version : null,
    capabilities: new Set(Array.isArray(capabilities) ? capabilities.filter((one) => typeof one === 'string') : []),
    all,
  };
}
