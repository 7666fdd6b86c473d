import type { ConversationStore } from '@conv/core/store';

import type { FleetOptions } from './fleet-options.ts';
import { toServerUrl } from './server-url.ts';

/** Options that decide if a server is one of many. */
interface FleetMember {
  readonly store: Pick<ConversationStore, 'features'>;
  readonly fleet?: FleetOptions | undefined;
}

/**
 * Returns a server's fleet options, with its URL in the form used as a name; `undefined` for a server that is alone. Throws
 * `TypeError` for an invalid URL, and for a store that processes cannot share.
 */
export function fleetOf({ fleet, store }: FleetMember): FleetOptions | undefined {
  if (!fleet) return undefined;
  const { shared, exclusion } = store.features;
  if (!shared || exclusion === 'instance')
    throw new TypeError(
      'this store belongs to one process; give the servers of a fleet a shared store, such as PostgreSQL or S3',
    );
  const { scanInterval = 2000 } = fleet;
  if (!(scanInterval > 0)) throw new TypeError(`scanInterval must be above 0 milliseconds, not ${scanInterval}`);
  return { ...fleet, url: toServerUrl(fleet.url) };
}
