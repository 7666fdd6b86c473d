import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { secureRandom, type Platform } from '@conv/core/platform';

import { APPROVER, has, SESSION, type Caller } from '../auth/principal.ts';
import type { FleetOptions } from './fleet-options.ts';
import { toServerUrl } from './server-url.ts';

/** Names the server that forwarded a request within its fleet. Such a request is not forwarded again. */
export const FORWARDED_BY_HEADER = 'X-Conv-Forwarded-By';

/** Header with a server's statement about a forwarded request, and its signature. */
const PEER_HEADER = 'X-Conv-Peer';

/** Milliseconds by which the clocks of two servers may differ. */
const CLOCK_DIFFERENCE = 300_000;

/** A request as the servers at both ends see it. */
export interface PeerRequest {
  readonly method: string;
  /** Path below the URL of the requested server, with the query. */
  readonly path: string;
}

/**
 * The servers of a fleet, as they see each other. Only listed servers are sent requests, whatever a store names. Requests to them
 * are signed with the key of the fleet and hold none of the caller's credentials.
 */
export class Peers {
  readonly url: string;
  readonly #platform: Pick<Platform, 'now'>;
  readonly #key: Buffer;
  readonly #listed: readonly RegExp[];

  /** @throws TypeError for a key that is too short, or a peer that is no URL of a server. */
  constructor({ url, peers, key }: Pick<FleetOptions, 'url' | 'peers' | 'key'>, platform: Pick<Platform, 'now'>) {
    if (typeof key !== 'string' || key.length < 16)
      throw new TypeError(
        'fleet: key: expected a text of at least 16 characters that all servers of the fleet have, found another value',
      );
    this.url = url;
    this.#platform = platform;
    this.#key = createHmac('sha256', key).update('conv fleet').digest();
    this.#listed = peers.map(toPattern);
  }

  /** True if an owner is a server of the fleet, which may be asked. */
  lists(owner: string): boolean {
    return URL.canParse(owner) && this.#listed.some((pattern) => pattern.test(owner));
  }

  /** Returns the headers of a request to a peer on behalf of this caller. */
  headersFor(peer: string, request: PeerRequest, caller: Caller): Readonly<Record<string, string>> {
    const nonce = Buffer.from(secureRandom(12)).toString('base64url');
    const said = `${statement(caller)}.${this.#platform.now()}.${nonce}`;
    const signature = this.#sign({ from: this.url, to: peer, said, request }).toString('base64url');
    return { [FORWARDED_BY_HEADER]: this.url, [PEER_HEADER]: `${said}.${signature}` };
  }

  /** Returns the caller that a peer states; `undefined` without a recent signature of a peer of this fleet. */
  callerOf(headers: IncomingHttpHeaders, request: PeerRequest): Caller | undefined {
    const header = String(headers[PEER_HEADER.toLowerCase()] ?? '');
    const [, said = '', stated, time, signature = ''] = /^(([\w-]+)\.(\d+)\.[\w-]+)\.([\w-]+)$/.exec(header) ?? [];
    const from = headers[FORWARDED_BY_HEADER.toLowerCase()];
    if (stated === undefined || typeof from !== 'string') return undefined;
    if (Math.abs(this.#platform.now() - Number(time)) > CLOCK_DIFFERENCE) return undefined;
    const expected = this.#sign({ from, to: this.url, said, request });
    const given = Buffer.from(signature, 'base64url');
    const isRight = given.length === expected.length && timingSafeEqual(given, expected);
    return isRight ? callerIn(stated) : undefined;
  }

  #sign({ from, to, said, request: { method, path } }: Signed): Buffer {
    return createHmac('sha256', this.#key).update([from, to, method, path, said].join('\n')).digest();
  }
}

/** Callers of the configuration, whose statements are words, as earlier versions of servers understand them. */
const WORDS: Readonly<Record<string, Caller>> = { session: SESSION, approver: APPROVER };

/** Returns a caller as the text that is signed. */
function statement(caller: Caller): string {
  if (caller.name === null) return has(caller, 'approve') ? 'approver' : 'session';
  return Buffer.from(JSON.stringify(caller)).toString('base64url');
}

/** Returns the caller of a text whose signature was right. */
function callerIn(stated: string): Caller {
  return WORDS[stated] ?? (JSON.parse(Buffer.from(stated, 'base64url').toString()) as Caller);
}

interface Signed {
  readonly from: string;
  readonly to: string;
  readonly said: string;
  readonly request: PeerRequest;
}

/** Returns a pattern for a peer's URL. A `*` stands for one part of a name, or for a port. */
function toPattern(peer: string): RegExp {
  const url = toServerUrl(peer.replaceAll('*', '0')) && peer.replace(/\/+$/, '');
  const source = url.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '[A-Za-z0-9-]+');
  return new RegExp(`^${source}$`);
}
