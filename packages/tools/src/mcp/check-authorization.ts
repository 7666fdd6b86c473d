import { checkOptionNames, checks, type OptionNames } from '@conv/core';
import { checkedHosts } from '@conv/egress';

import type { McpAuthorization } from './authorization.ts';

const NAMES: OptionNames<McpAuthorization> = {
  records: true,
  redirectUrl: true,
  owner: true,
  hosts: true,
  clientName: true,
  clientMetadataUrl: true,
};

/** Throws a `TypeError` that names the wrong member of an authorization. */
export function checkAuthorization(place: string, auth: McpAuthorization | undefined): void {
  if (auth === undefined) return;
  checkRecords(place, auth);
  checkOptionNames(place, auth, NAMES);
  const { redirectUrl, owner, hosts, clientName, clientMetadataUrl } = auth;
  if (typeof redirectUrl !== 'function' && !URL.canParse(redirectUrl))
    throw new TypeError(
      checks.wrongValue(`${place}: redirectUrl`, 'a URL, or a function that returns one', redirectUrl),
    );
  if (owner !== undefined && typeof owner !== 'function')
    throw new TypeError(
      checks.wrongValue(`${place}: owner`, 'a function that returns the owner of a conversation', owner),
    );
  checkedHosts(`${place}: hosts`, hosts);
  if (clientName !== undefined && typeof clientName !== 'string')
    throw new TypeError(checks.wrongValue(`${place}: clientName`, 'a text', clientName));
  if (clientMetadataUrl !== undefined && !isDocument(clientMetadataUrl))
    throw new TypeError(
      checks.wrongValue(`${place}: clientMetadataUrl`, 'an https URL with a path', clientMetadataUrl),
    );
}

/** Throws a `TypeError` for an authorization without records. */
export function checkRecords(place: string, auth: Pick<McpAuthorization, 'records'>): void {
  if (typeof auth !== 'object' || auth === null)
    throw new TypeError(checks.wrongValue(place, 'an object with records', auth));
  const { records } = auth;
  if (typeof records?.get !== 'function' || typeof records.replace !== 'function')
    throw new TypeError(checks.wrongValue(`${place}: records`, 'an object with get and replace', records));
}

/** True for an address that authorization servers take as the id of a client. */
function isDocument(address: unknown): boolean {
  if (typeof address !== 'string' || !URL.canParse(address)) return false;
  const { protocol, pathname } = new URL(address);
  return protocol === 'https:' && pathname !== '/';
}
