import type { JsonObject } from '@conv/core/events';

import type { ServerClient } from './server-client.ts';

/** What a server says of itself. */
export interface ServerInfo {
  readonly version: string | null;
  /** Names of what it can do beyond the protocol's first version. */
  readonly capabilities: ReadonlySet<string>;
  /** Everything it said. */
  readonly all: JsonObject;
}

/** Asks a server what it is. One that does not say can nothing beyond the protocol. */
export async function readServerInfo(client: ServerClient, signal?: AbortSignal): Promise<ServerInfo> {
  const call = { method: 'GET', path: '/server_info', expect: [404], signal } as const;
  const answer = await client.json(call);
  const all = (typeof answer === 'object' && answer !== null ? answer : {}) as JsonObject;
  const { version, capabilities } = all;
  return {
    version: typeof version === 'string' ? version : null,
    capabilities: new Set(Array.isArray(capabilities) ? capabilities.filter((one) => typeof one === 'string') : []),
    all,
  };
}
