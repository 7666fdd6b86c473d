import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { secureRandom } from '@conv/core/platform';

import type { Caller } from './principal.ts';

/** The header with which a request of this server to itself shows for whom it is. */
export const VOUCHER_HEADER = 'x-conv-voucher';

/** Resolves with the present rights of a caller; with `undefined` if its key is void now. */
export type Rights = () => Promise<Caller | undefined>;

/** The vouchers of this process for callers of protocols, whose conversations it opens at itself, with their rights and no key of theirs. */
export class Vouchers {
  readonly #issued = new Map<string, Rights>();

  /** Returns a voucher of 256 random bits, which has the rights until it is taken back. It is known to this process alone. */
  issue(rights: Rights): string {
    const voucher = Buffer.from(secureRandom(32)).toString('base64url');
    this.#issued.set(digest(voucher), rights);
    return voucher;
  }

  /** Makes a voucher void. Idempotent. */
  takeBack(voucher: string): void {
    this.#issued.delete(digest(voucher));
  }

  /** Returns the rights of the voucher of a request; `undefined` for a request without one, and for a void one. */
  rightsIn({ [VOUCHER_HEADER]: voucher }: IncomingHttpHeaders): Rights | undefined {
    return typeof voucher === 'string' ? this.#issued.get(digest(voucher)) : undefined;
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
