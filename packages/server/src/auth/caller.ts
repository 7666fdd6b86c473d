import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';

import { ApiError } from '../http/api-error.ts';
import { accessIn, type Access } from './access-keys.ts';
import { APPROVER, type Caller } from './principal.ts';

const callers = new WeakMap<FastifyRequest, Caller>();

/** Stores the sender of a request. */
export function setCaller(request: FastifyRequest, caller: Caller): void {
  callers.set(request, caller);
}

/** Returns the sender of a request. A route without authentication is open to every caller. */
export function callerOf(request: FastifyRequest): Caller {
  return callers.get(request) ?? APPROVER;
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
