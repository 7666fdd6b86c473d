import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';

import { ApiError } from '../http/api-error.ts';
import type { Access } from './access-keys.ts';

const callers = new WeakMap<FastifyRequest, Access>();

/** Stores the rights of a request's caller. */
export function setAccess(request: FastifyRequest, access: Access): void {
  callers.set(request, access);
}

/** Returns the rights of a request's caller. A route without authentication is open to every caller. */
export function accessOf(request: FastifyRequest): Access {
  return callers.get(request) ?? 'approver';
}

/** Throws {@link ApiError} 403 unless the caller may approve. `what`: the subject of the error message. */
export function requireApprover(access: Access, what: string): void {
  if (access !== 'approver')
    throw new ApiError(403, `${what} needs the right to approve: show an approver key in X-Session-API-Key`);
}

/** Returns the address of the other end of a connection. Any client can send headers with an address, so they are ignored. */
export function addressOf({ socket }: Pick<IncomingMessage, 'socket'>): string {
  return socket.remoteAddress ?? 'unknown';
}
