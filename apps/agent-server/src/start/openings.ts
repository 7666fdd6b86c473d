import type { Configuration } from '../configuration/effective-configuration.ts';
import { foreignOwners } from '../configuration/private-places.ts';
import { isLoopback } from '../configuration/missing-settings.ts';

/** Returns what settings open beyond the defaults, in a line each. A person who copied a configuration reads at the start what it opens. */
export function openingsOf(configuration: Configuration): readonly string[] {
  const { host, corsOrigins, corsOriginPattern, metricsOpen, staticFolder } = configuration;
  const lines = foreignOwners(configuration).map(
    ({ path, owner }) => `user ${owner} owns ${path}, and can open this server with it`,
  );
  if (!isLoopback(host))
    lines.push(`other machines can reach ${host}, and keys travel as plain text unless a proxy adds HTTPS`);
  if (corsOrigins.includes('*')) lines.push('pages of every origin may call with a key (OH_ALLOW_CORS_ORIGINS)');
  else if (corsOriginPattern !== undefined)
    lines.push(`pages of origins that match ${corsOriginPattern} may call with a key (OH_ALLOW_CORS_ORIGIN_REGEX)`);
  if (metricsOpen) lines.push('/metrics needs no key');
  if (staticFolder !== undefined) lines.push(`the files in ${staticFolder} need no key`);
  return lines;
}
