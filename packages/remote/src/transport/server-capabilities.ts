import { CAPABILITIES } from '@conv/openhands/rest';

import type { ServerInfo } from './server-info.ts';

type Capability = keyof typeof CAPABILITIES;

/**
 * Capabilities of a server beyond the protocol's first version, by their names in `CAPABILITIES`. With `commits`, the statuses of
 * the server hold from the moment at which it answers.
 */
export type ServerCapabilities = Readonly<Record<Capability, boolean>>;

/** Returns the capabilities that a server announces. */
export function capabilitiesOf({ capabilities }: ServerInfo): ServerCapabilities {
  const entries = Object.entries(CAPABILITIES).map(([name, announced]) => [name, capabilities.has(announced)]);
  return Object.fromEntries(entries) as Record<Capability, boolean>;
}
