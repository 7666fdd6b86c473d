/** Traffic of a client. */
export interface Traffic {
  /** Number of HTTP requests, socket upgrades excluded. */
  requests: number;
  /** Number of opened sockets. */
  sockets: number;
  /** Bytes to the client, headers and frames included. */
  bytes: number;
}

/** Returns the traffic since then. */
export function since(before: Traffic, now: Traffic): Traffic {
  return {
    requests: now.requests - before.requests,
    sockets: now.sockets - before.sockets,
    bytes: now.bytes - before.bytes,
  };
}
