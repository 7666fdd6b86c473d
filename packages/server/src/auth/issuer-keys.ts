import type { createRemoteJWKSet, JWTVerifyGetKey } from 'jose';

/** Milliseconds after which the issuer's keys are read again. */
const MAX_AGE = 600_000;

/** Milliseconds for which keys count that could not be read again. */
const LONGEST_AGE = 24 * 60 * 60_000;

/** Dependencies of {@link IssuerKeys}. */
export interface IssuerKeysDeps {
  /** The keys at the issuer, without an age of its own. */
  readonly remote: ReturnType<typeof createRemoteJWKSet>;
  /** The cache of `remote`, whose `uat` changes with each reading. */
  readonly cache: { readonly uat?: number };
  /** Least milliseconds between a failed reading and the next one. */
  readonly cooldown: number;
  readonly now: () => number;
}

/**
 * The keys of an issuer. They are read again after ten minutes. While that fails the last ones count, so that an outage of the issuer cuts no
 * user off whose token is valid. After a day without an answer they count no more, because the issuer may have withdrawn one. Requests wait for the
 * first reading that fails, and for none of the next ones while keys count, because an issuer that hangs would hold them up again and again.
 */
export class IssuerKeys {
  readonly #deps: IssuerKeysDeps;
  /** The last reading: its mark in the cache, and its time here. */
  #last: { readonly mark: number | undefined; readonly at: number } = { mark: undefined, at: -Infinity };
  #failedAt = -Infinity;

  constructor(deps: IssuerKeysDeps) {
    this.#deps = deps;
  }

  /** Resolves with the key of a token. Rejects as jose does; with the failure of the reading if no keys count. */
  readonly of: JWTVerifyGetKey = async (header, token) => {
    await this.#readAgain();
    try {
      return await this.#deps.remote(header, token);
    } finally {
      // a token of an unknown key causes a reading, too
      this.#note();
    }
  };

  async #readAgain(): Promise<void> {
    const { remote, cooldown, now } = this.#deps;
    const age = now() - this.#last.at;
    const isUsable = age < LONGEST_AGE;
    if (age < MAX_AGE || (isUsable && now() - this.#failedAt < cooldown)) return;
    const isFailing = this.#failedAt > this.#last.at;
    const reading = remote.reload().then(
      () => this.#note(),
      (error: unknown) => {
        this.#failedAt = now();
        if (!isUsable) throw error;
      },
    );
    if (!isUsable || !isFailing) await reading;
  }

  /** Notes the time of a new reading. */
  #note(): void {
    const { cache, now } = this.#deps;
    if (cache.uat !== this.#last.mark) this.#last = { mark: cache.uat, at: now() };
  }
}
