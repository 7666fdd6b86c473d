/** Plan of a server. Handed over to processes as JSON. */
export interface ServerPlan {
  /** The folder of the store, which the servers of a fleet share. */
  readonly directory: string;
  /** The port. 0: any free one. */
  readonly port: number;
  /** Set for one of many servers on the store. */
  readonly fleet?: FleetPlan;
  /** The address of the model that answers. Default: the agent tells stories. */
  readonly model?: string;
}

/** Times of a fleet, in milliseconds. */
export interface FleetPlan {
  /** The time after which another server takes over what a dead one owned. */
  readonly lease: number;
  /** The time between two looks for the runs of dead servers. */
  readonly scan: number;
}

/** The key that the server takes. */
export const KEY = 'the-key-of-all-doors';

/** The header with the key. */
export const KEY_HEADER: Readonly<Record<string, string>> = { 'x-session-api-key': KEY };
