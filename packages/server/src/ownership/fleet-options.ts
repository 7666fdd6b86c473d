import type { ConversationStore } from '@conv/core/store';

import { toServerUrl } from './server-url.ts';

/** Makes a server one of many on a store: commands go to a conversation's owner, and runs of dead servers are taken over. */
export interface FleetOptions {
  /**
   * URL at which the other servers reach this server, such as `http://10.0.0.7:8000`. It is also the name under which it owns
   * conversations, so it is unique in the fleet. At most 200 characters.
   */
  readonly url: string;
  /**
   * URLs of the servers of the fleet, in the form in which they name themselves. A `*` stands for one part of a name or for a
   * port, as in `http://10.0.0.*:8000`. A server sends requests to no other URL, whatever the store names. Its own URL may be
   * among them.
   */
  readonly peers: readonly string[];
  /** A secret of at least 16 characters, which only the servers of the fleet know. It signs their requests to each other. */
  readonly key: string;
  /** Milliseconds between scans for runs of dead servers. Default 2000. */
  readonly scanInterval?: number;
  readonly observer?: FleetObserver;
}

/** Callbacks for events between the servers of a fleet. Must not throw. */
export interface FleetObserver {
  /** A command was for another server: `answered` by it, `lost` on the way there, or executed `here` after all. */
  forwarded?(outcome: 'answered' | 'lost' | 'here'): void;
  /**
   * A run of another server continues here. `withoutOwner`: milliseconds since the last heartbeat of that server; `undefined`
   * when none was seen here.
   */
  tookOver?(conversationId: string, about: { readonly withoutOwner: number | undefined }): void;
}

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
  if (!(scanInterval > 0))
    throw new TypeError(`fleet: scanInterval: expected milliseconds above 0, found ${scanInterval}`);
  return { ...fleet, url: toServerUrl(fleet.url) };
}
