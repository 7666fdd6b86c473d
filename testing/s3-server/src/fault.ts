import type { Operation } from './operation.ts';

/** A request as fault hooks and counters see it. */
export interface SeenRequest {
  /** The how many-th request it is, from 0. */
  readonly number: number;
  readonly operation: Operation;
  readonly bucket: string;
  /** Empty for operations on a bucket. */
  readonly key: string;
  /** The `If-Match` or `If-None-Match` of a write. */
  readonly condition: 'none' | 'ifMatch' | 'ifNoneMatch';
}

/** Fault of one request. */
export type Fault =
  /** An error answer; `applied`: after the request was carried out. */
  | { readonly kind: 'refuse'; readonly status: number; readonly code: string; readonly applied: boolean }
  /** The connection is cut without an answer; `applied`: after the request was carried out. */
  | { readonly kind: 'drop'; readonly applied: boolean }
  /** The connection is cut after half of the body of the answer. */
  | { readonly kind: 'cut' }
  /** The request is carried out when `until` settles, and then goes wrong as `next` says, if at all. */
  | { readonly kind: 'hold'; readonly until: Promise<unknown>; readonly next?: Fault };

/** Decides for each request, in the order of arrival, what goes wrong with it. */
export type FaultHook = (request: SeenRequest) => Fault | undefined;

/** The service asks to slow down; nothing was carried out. */
export function slowDown(): Fault {
  return refuse(503, 'SlowDown');
}

/** A conditional write met another one; nothing was carried out. */
export function conflict(): Fault {
  return refuse(409, 'ConditionalRequestConflict');
}

/** An error answer in place of carrying the request out. */
export function refuse(status: number, code: string): Fault {
  return { kind: 'refuse', status, code, applied: false };
}

/** The request is carried out, and answered with an error. */
export function refuseAfter(status: number, code: string): Fault {
  return { kind: 'refuse', status, code, applied: true };
}

/** The connection is cut before the request is carried out. */
export function dropBefore(): Fault {
  return { kind: 'drop', applied: false };
}

/** The connection is cut after the request was carried out: its answer is lost. */
export function dropAfter(): Fault {
  return { kind: 'drop', applied: true };
}

/** Half of the answer's body arrives. */
export function cut(): Fault {
  return { kind: 'cut' };
}

/** The request waits until `until` settles. */
export function hold(until: Promise<unknown>, next?: Fault): Fault {
  return { kind: 'hold', until, ...(next ? { next } : {}) };
}
