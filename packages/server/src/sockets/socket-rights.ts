import { timers, type Platform, type Timer } from '@conv/core/platform';
import { CLOSE_CODES } from '@conv/openhands/sockets';

import { refusalFor, type Caller } from '../auth/principal.ts';
import type { Admitted } from './socket-auth.ts';
import type { SocketConnection } from './socket-connection.ts';
import type { FoundSocket } from './socket-handler.ts';

export interface SocketRightsDeps {
  readonly platform: Platform;
  /** True if the caller may know the conversation. Default: all conversations are known to all callers. */
  readonly knows?: ((caller: Caller, conversationId: string) => Promise<boolean>) | undefined;
}

/** Milliseconds between two looks at the rights of open sockets. */
const LOOK_INTERVAL = 500;

interface Open {
  readonly admitted: Admitted;
  readonly found: FoundSocket;
}

/**
 * Decides which clients may have which sockets, when they are opened and as long as they are open: a socket ends within a second after
 * its key was revoked, has expired, or has lost the scope.
 */
export class SocketRights {
  readonly #knows: NonNullable<SocketRightsDeps['knows']>;
  readonly #open = new Map<SocketConnection, Open>();
  readonly #looks: Timer;

  constructor({ platform, knows = async () => true }: SocketRightsDeps) {
    this.#knows = knows;
    const look = (): void => this.#open.forEach((open, connection) => this.#lookAt(connection, open));
    this.#looks = timers.every(platform, LOOK_INTERVAL, look, { background: true });
  }

  /**
   * Resolves with true if the client may have the socket, and gives the connection its rights. Otherwise closes the connection: for a
   * conversation that the client may not know as for an unknown id.
   */
  async grant(connection: SocketConnection, admitted: Admitted, found: FoundSocket): Promise<boolean> {
    const { conversation_id: id } = found.params;
    if (id !== undefined && !(await this.#knows(admitted.caller, id))) {
      connection.close(CLOSE_CODES.notFound);
      return false;
    }
    if (!this.#permits(connection, admitted.caller, found)) return false;
    this.#open.set(connection, { admitted, found });
    connection.closed.addEventListener('abort', () => this.#open.delete(connection), { once: true });
    return true;
  }

  /** Looks at no socket any more. */
  close(): void {
    this.#looks.cancel();
  }

  #lookAt(connection: SocketConnection, { admitted, found }: Open): void {
    const caller = admitted.again();
    if (caller) this.#permits(connection, caller, found);
    else connection.close(CLOSE_CODES.authenticationFailed);
  }

  #permits(connection: SocketConnection, caller: Caller, { scope }: FoundSocket): boolean {
    const refusal = refusalFor(caller, scope);
    if (refusal === undefined) connection.caller = caller;
    else connection.close(CLOSE_CODES.forbidden);
    return refusal === undefined;
  }
}
