import { CAPABILITIES } from '@conv/openhands/rest';

import type { ServerInfo } from './server-info.ts';

type Capability = keyof typeof CAPABILITIES;

/**
 * Capabilities of a server beyond the protocol's first version, by their names in `CAPABILITIES`. With `commits`, the statuses of
 * the server hold from the moment at which it answers.
 */
export type ServerCapabilities = Readonly<Record<Capability, boolean>>;

/** Capabilities that OpenHands' server has from a release on without announcing them, with major and minor of that release. */
const UNANNOUNCED: Partial<Record<Capability, readonly [number, number]>> = { sessionSocket: [1, 45] };

/** Returns the capabilities that a server announces or that follow from its release. */
export function capabilitiesOf({ capabilities, version }: ServerInfo): ServerCapabilities {
  const has = ([name, announced]: [string, string]): boolean =>
    capabilities.has(announced) || isSince(version, UNANNOUNCED[name as Capability]);
  const entries = Object.entries(CAPABILITIES).map((entry) => [entry[0], has(entry)]);
  return Object.fromEntries(entries) as Record<Capability, boolean>;
}

function isSince(version: string | null, since: readonly [number, number] | undefined): boolean {
  const [, major, minor] = /^(\d+)\.(\d+)\./.exec(version ?? '') ?? [];
  if (since === undefined || major === undefined) return false;
  return Number(major) > since[0] || (Number(major) === since[0] && Number(minor) >= since[1]);
}
