/** Plan of a server. Handed over to processes as JSON. */
export interface ServerPlan {
  /** The folder of the store, which the servers of a fleet share. */
  readonly directory: string;
  /** The port. 0: any free one. */
  readonly port: number;
  /** True for one of many servers on the store. */
  readonly fleet: boolean;
  /** The address of the model that answers. Default: the agent tells stories. */
  readonly model?: string;
}

/** The key that the server takes. */
export const KEY = 'the-key-of-all-doors';

/** The header with the key. */
export const KEY_HEADER: Readonly<Record<string, string>> = { 'x-session-api-key': KEY };
