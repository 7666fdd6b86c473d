import type { IncomingMessage } from 'node:http';

import type { FastifyRequest } from 'fastify';

import { ApiError } from '../http/api-error.ts';
import type { Access } from './access-keys.ts';

const callers = new WeakMap<FastifyRequest, Access>();

/** Remembers what the caller of a request may do. */
export function setAccess(request: FastifyRequest, access: Access): void {
  callers.set(request, access);
}

/** Returns what the caller of a request may do; a route that nothing guards is open to everybody. */
export function accessOf(request: FastifyRequest): Access {
  return callers.get(request) ?? 'approver';
}

/** Throws {@link ApiError} 403 unless the caller may approve. `what`: the subject of the sentence that it reads. */
export function requireApprover(access: Access, what: string): void {
  if (access !== 'approver')
    throw new ApiError(403, `${what} needs the right to approve: show an approver key in X-Session-API-Key`);
}

/** Returns the address of the other end of a connection. What a header says of it is said by anybody. */
export function addressOf({ socket }: Pick<IncomingMessage, 'socket'>): string {
  return socket.remoteAddress ?? 'unknown';
}
