import { checkOptionNames, checks, type OptionNames } from '@conv/core';

/** Options of logins at MCP servers, with which browsers come back to this server. */
export interface LoginsOptions {
  /**
   * Ends the login of the address that a browser came back to, such as `finishMcpLogin` of `@conv/tools`. The message is for the person at the
   * browser, and holds no secret.
   */
  readonly finish: (callback: URL) => Promise<{ readonly ok: boolean; readonly message: string }>;
}

const NAMES: OptionNames<LoginsOptions> = { finish: true };

/** Throws a `TypeError` that names the wrong member. */
export function checkLogins(place: string, logins: LoginsOptions): void {
  checkOptionNames(place, logins, NAMES);
  const { finish } = logins;
  if (typeof finish !== 'function')
    throw new TypeError(checks.wrongValue(`${place}: finish`, 'a function that ends a login', finish));
}
