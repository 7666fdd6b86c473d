/** Told of sockets, for counting them. Must not throw. */
export interface SocketObserver {
  /** One was opened on this path of the protocol, such as `/sockets/events/{conversation_id}`. */
  opened?(path: string): void;
  /** It was closed; `code` and `reason` are those of this side, absent when the peer has gone by itself. */
  closed?(path: string, by?: { readonly code: number; readonly reason: string }): void;
  /** A client at this address showed no key in time, or a wrong one. */
  refused?(path: string, address: string): void;
}
