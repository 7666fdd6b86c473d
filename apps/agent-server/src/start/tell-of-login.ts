import { errorText } from '@conv/core';
import { checkIssuer, type OidcOptions } from '@conv/server/access';
import type { Logger } from 'pino';

/**
 * Logs if tokens of a login can be checked now. Never rejects: a server whose issuer is away starts, because its keys open it, and it asks the
 * issuer again for each token.
 */
export async function tellOfLogin(oidc: OidcOptions, log: Logger): Promise<void> {
  const { issuer } = oidc;
  try {
    await checkIssuer(oidc);
    log.info({ issuer }, 'tokens of the login open the server');
  } catch (error) {
    log.warn(
      { issuer, reason: reasonOf(error) },
      'the issuer of the login gives no keys: its tokens are answered with 503 until it does, and other keys open the server',
    );
  }
}

function reasonOf(error: unknown): string {
  const { cause } = Object(error) as { readonly cause?: unknown };
  return cause === undefined ? errorText(error) : `${errorText(error)}: ${errorText(cause)}`;
}
