import { timers, type Platform, type Timer } from '@conv/core/platform';
import { CLOSE_CODES } from '@conv/openhands/sockets';

import { limitRefusalFor, refusalFor, type Caller } from '../auth/principal.ts';
import type { Admitted } from './socket-auth.ts';
import { INTERNAL_ERROR, type SocketConnection } from './socket-connection.ts';
import type { FoundSocket } from './socket-handler.ts';

export interface SocketRightsDeps {
  readonly platform: Platform;
  /** True if the caller may know the conversation. Default: all conversations are known to all callers. */
  readonly knows?: ((caller: Caller, conversationId: string) => Promise<boolean>) | undefined;
  /** Receives the error of a key that cannot be looked at again. */
  readonly report: (error: unknown, path: string) => void;
}

/** Milliseconds between two looks at the rights of open sockets. */
const LOOK_INTERVAL = 500;

/** Number of looks between two looks at the conversations of limited clients, which read them. */
const LIMITS_INTERVAL = 4;

interface Open {
  readonly admitted: Admitted;
  readonly found: FoundSocket;
}

/**
 * Decides which clients may have which sockets, when they are opened and as long as they are open: a socket ends within a second after
 * its key was revoked, has expired, or has lost the scope, and within some seconds after its conversation has left the limits of the key.
 */
export class SocketRights {
  readonly #knows: NonNullable<SocketRightsDeps['knows']>;
  readonly #open = new Map<SocketConnection, Open>();
  readonly #report: SocketRightsDeps['report'];
  readonly #looks: Timer;
  #looked = 0;

  constructor({ platform, knows = async () => true, report }: SocketRightsDeps) {
    this.#knows = knows;
    this.#report = report;
    const look = (): void => {
      for (const [again, connections] of this.#byRights()) void this.#lookAgain(again, connections);
      if (++this.#looked % LIMITS_INTERVAL !== 0) return;
      for (const [connection, open] of this.#open) void this.#lookAtLimits(connection, open);
    };
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
    if (connection.isClosed || !this.#permits(connection, admitted.caller, found)) return false;
    this.#open.set(connection, { admitted, found });
    connection.whenClosed(() => this.#open.delete(connection));
    return true;
  }

  /** Looks at no socket any more. */
  close(): void {
    this.#looks.cancel();
  }

  /** Returns the connections by the function that tells their rights: those of a server without keys share one, and may be thousands. */
  #byRights(): ReadonlyMap<Admitted['again'], readonly SocketConnection[]> {
    const connections = new Map<Admitted['again'], SocketConnection[]>();
    for (const [connection, { admitted }] of this.#open) {
      const same = connections.get(admitted.again);
      if (same) same.push(connection);
      else connections.set(admitted.again, [connection]);
    }
    return connections;
  }

  async #lookAgain(again: Admitted['again'], connections: readonly SocketConnection[]): Promise<void> {
    const [caller, failure] = await told(again);
    for (const connection of connections) {
      // fence: it may have been closed meanwhile
      const found = this.#open.get(connection)?.found;
      if (!found || caller === connection.caller) continue;
      if (caller) this.#permits(connection, caller, found);
      else connection.close(failure ? INTERNAL_ERROR : CLOSE_CODES.authenticationFailed);
      if (failure) this.#report(failure.error, found.path);
    }
  }

  /** Closes a connection whose conversation the client may not know any more. A store that does not answer decides nothing. */
  async #lookAtLimits(connection: SocketConnection, { found }: Open): Promise<void> {
    const { conversation_id: id } = found.params;
    if (id === undefined || !connection.caller.limits) return;
    const isKnown = await this.#knows(connection.caller, id).catch(() => true);
    if (!isKnown) connection.close(CLOSE_CODES.notFound);
  }

  #permits(connection: SocketConnection, caller: Caller, { scope, allConversations }: FoundSocket): boolean {
    const refusal = refusalFor(caller, scope) ?? (allConversations === true ? limitRefusalFor(caller) : undefined);
    if (refusal === undefined) connection.caller = caller;
    else connection.close(CLOSE_CODES.forbidden);
    return refusal === undefined;
  }
}

/** Resolves with the caller, or with the error that tells nothing of it. */
async function told(
  again: Admitted['again'],
): Promise<readonly [caller: Caller | undefined, failure: { readonly error: unknown } | undefined]> {
  try {
    return [await again(), undefined];
  } catch (error) {
    return [undefined, { error }];
  }
}
