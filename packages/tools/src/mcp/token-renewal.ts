import { timers, type Platform } from '@conv/core/platform';

import { settled, type AuthRecord, type AuthState, type AuthTokens, type HeldState } from './auth-record.ts';
import { NotGranted, type AuthRequests } from './auth-requests.ts';
import { ServerFault } from './server-fault.ts';

/** Milliseconds before its end at which a token is renewed. */
const EARLY = 30_000;
/** Milliseconds that a process has to renew tokens, before another one tries. */
const RENEWAL_TIME = 45_000;
/** Milliseconds between two looks at a renewal of another process. */
const LOOK = 250;

export interface TokenRenewalDeps {
  readonly platform: Platform;
  readonly record: AuthRecord;
  readonly requests: AuthRequests;
  /** Called with each token that was read. */
  readonly onSecret: (secret: string) => void;
}

/**
 * The tokens of a person at a server. A token is renewed once, however many calls, conversations and processes need it: the process that
 * does it says so in the record before, because an authorization server may revoke everything when a renewal is made twice.
 */
export class TokenRenewal {
  readonly #deps: TokenRenewalDeps;
  #known: AuthTokens | undefined;
  /** The renewal of another process that was seen last. */
  #other: { readonly id: string; readonly since: number } | undefined;
  #looking: { readonly rejected: string | undefined; readonly found: Promise<AuthTokens | undefined> } | undefined;

  constructor(deps: TokenRenewalDeps) {
    this.#deps = deps;
  }

  /** Resolves with a token that is not the `rejected` one; `undefined` if a person must log in. Rejects {@link ServerFault}. */
  async token({ rejected }: { readonly rejected?: string } = {}): Promise<string | undefined> {
    const known = this.#known;
    if (known && known.access !== rejected && !this.#endsSoon(known)) return known.access;
    if (this.#looking?.rejected !== rejected || !this.#looking) {
      const found = this.#current(rejected).finally(() => {
        if (this.#looking?.found === found) this.#looking = undefined;
      });
      this.#looking = { rejected, found };
    }
    this.#known = await this.#looking.found;
    return this.#known?.access;
  }

  /** Reads the record anew at the next request. */
  forget(): void {
    this.#known = undefined;
  }

  async #current(rejected: string | undefined): Promise<AuthTokens | undefined> {
    for (;;) {
      const held = await this.#deps.record.read();
      const { tokens, renewing } = held.state;
      if (!tokens) return undefined;
      this.#tell(tokens);
      if (tokens.access !== rejected && !this.#endsSoon(tokens)) return tokens;
      if (tokens.refresh === undefined) return tokens.access === rejected ? undefined : tokens;
      if (renewing && this.#isOn(renewing)) {
        await timers.sleep(this.#deps.platform, LOOK, { signal: this.#deps.requests.closed });
        continue;
      }
      const renewed = await this.#renew(held, tokens, rejected);
      if (renewed !== 'later') return renewed;
    }
  }

  /** True if a process may still renew the tokens. Its clock may be ahead, so it has its time by the clock of this process at most. */
  #isOn({ id, until }: NonNullable<AuthState['renewing']>): boolean {
    const { platform } = this.#deps;
    if (this.#other?.id !== id) this.#other = { id, since: platform.monotonic() };
    return until > platform.now() && platform.monotonic() - this.#other.since < RENEWAL_TIME;
  }

  /** Renews the tokens; `later` if another process is first. */
  async #renew(
    held: HeldState,
    tokens: AuthTokens,
    rejected: string | undefined,
  ): Promise<AuthTokens | undefined | 'later'> {
    const { platform, record, requests } = this.#deps;
    const { issuer, client } = held.state;
    if (!issuer || !client) return undefined;
    const id = platform.id();
    const renewing = { id, until: platform.now() + RENEWAL_TIME };
    if (!(await record.replace(held, { ...held.state, renewing }))) return 'later';
    try {
      const renewed = await requests.refresh({ issuer, client: client.info }, tokens);
      this.#tell(renewed);
      await record.change((state) => (isOurs(state, id) ? { ...settled(state), tokens: renewed } : undefined));
      return renewed;
    } catch (error) {
      const isGone = error instanceof NotGranted;
      await record.change((state) => {
        if (!isOurs(state, id)) return undefined;
        const { tokens: _, ...others } = settled(state);
        return isGone ? others : settled(state);
      });
      if (isGone) return undefined;
      // no person is asked because an authorization server cannot be reached
      const isUsable = tokens.access !== rejected && (tokens.expiresAt ?? 0) > platform.now();
      if (isUsable) return tokens;
      throw error instanceof ServerFault ? error : new ServerFault('refused', 'its access could not be renewed');
    }
  }

  #endsSoon({ expiresAt }: AuthTokens): boolean {
    return expiresAt !== undefined && expiresAt - EARLY < this.#deps.platform.now();
  }

  #tell({ access, refresh }: AuthTokens): void {
    this.#deps.onSecret(access);
    if (refresh !== undefined) this.#deps.onSecret(refresh);
  }
}

function isOurs({ renewing }: AuthState, id: string): boolean {
  return renewing?.id === id;
}
