import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';

import { ApiError } from '../http/api-error.ts';
import { accessIn, type Access, type KeptKey } from './access-keys.ts';
import { APPROVER, type Caller } from './principal.ts';

interface Authenticated {
  readonly caller: Caller;
  /** Resolves with what became of the caller; `undefined` if its key is void now. */
  readonly again: () => Promise<Caller | undefined>;
  /** Returns what to keep of the caller's key; absent for a caller that another one vouches for. */
  readonly kept?: (() => KeptKey) | undefined;
}

const callers = new WeakMap<FastifyRequest, Authenticated>();

/** Stores the sender of a request, and how to look at its key again. */
export function setCaller(request: FastifyRequest, authenticated: Authenticated): void {
  callers.set(request, authenticated);
}

/**
 * Resolves with the sender of a request with its present rights. Rejects {@link ApiError} 401 if its key has become void since the head of the request
 * arrived. The body may take hours: a sender whose key was revoked must not complete it.
 */
export async function checkStillValid(request: FastifyRequest): Promise<Caller> {
  const caller = await stillValid(request);
  if (caller === undefined) throw new ApiError(401, 'Unauthorized');
  return caller;
}

/** Resolves with the sender of a request with its present rights; with `undefined` if its key is void now. */
export async function stillValid(request: FastifyRequest): Promise<Caller | undefined> {
  const authenticated = callers.get(request);
  return authenticated ? authenticated.again() : APPROVER;
}

/** Returns what to keep of the key of a request; `undefined` if another one vouches for its sender. */
export function keptKeyOf(request: FastifyRequest): KeptKey | undefined {
  const authenticated = callers.get(request);
  return authenticated ? authenticated.kept?.() : {};
}

/** Returns the sender of a request. A route without authentication is open to every caller. */
export function callerOf(request: FastifyRequest): Caller {
  return callers.get(request)?.caller ?? APPROVER;
}

/** Returns the right of the sender of a request to approve. */
export function accessOf(request: FastifyRequest): Access {
  return accessIn(callerOf(request));
}

/** Throws {@link ApiError} 403 unless the caller may approve. `what`: the subject of the error message. */
export function requireApprover(access: Access, what: string): void {
  if (access !== 'approver')
    throw new ApiError(403, `${what} needs the scope approve: show a key that may approve in X-Session-API-Key`);
}

/** Returns the address of the other end of a connection. Any client can send headers with an address, so they are ignored. */
export function addressOf({ socket }: Pick<IncomingMessage, 'socket'>): string {
  return socket.remoteAddress ?? 'unknown';
}
