/** Callbacks for counting sockets. Must not throw. */
export interface SocketObserver {
  /** A socket was opened on this path of the protocol, such as `/sockets/events/{conversation_id}`. */
  opened?(path: string): void;
  /** A socket was closed; `code` and `reason` are those of this side, absent when the peer closed it. */
  closed?(path: string, by?: { readonly code: number; readonly reason: string }): void;
  /** A client at this address showed no key in time, or a wrong key. */
  refused?(path: string, address: string): void;
}
