import { CodedError, markErrors } from '@conv/core';

/**
 * Reasons why MCP servers cannot be used, before there is a call.
 *
 * | code | when |
 * | --- | --- |
 * | `INVALID_CONFIG` | the configuration does not have the wire's shape; thrown by `mcpServers` |
 * | `UNSUPPORTED` | a server wants OAuth without the option `auth`, to be a process on Windows, or to be confined where that cannot be |
 * | `CONNECT_FAILED` | a server cannot be started or reached, refuses, or has no usable list of tools; trying again may help |
 * | `UNAUTHORIZED` | the only failure is that a person must log in at servers; the message names the address to open |
 * | `TIMEOUT` | the only failure is that servers did not answer in time; trying again may help |
 *
 * After each of these errors no server is connected, and no process of a server is left.
 */
export type McpErrorCode = 'INVALID_CONFIG' | 'UNSUPPORTED' | 'CONNECT_FAILED' | 'UNAUTHORIZED' | 'TIMEOUT';

/** A login that a person must make, and the address to open for it. */
export interface NeededLogin {
  /** The name of the server in the configuration. */
  readonly server: string;
  readonly address: string;
}

/**
 * Thrown when MCP servers cannot be used. The message names servers and a remedy, and holds no command, address, header,
 * variable or secret, but for the address of a login. There is no `cause`, because the errors of clients hold requests with their headers.
 */
export class McpError extends CodedError<McpErrorCode> {
  /** The names of the failed servers in the configuration. */
  readonly servers: readonly string[];
  /** With `UNAUTHORIZED` the logins that have begun; else none. */
  readonly logins: readonly NeededLogin[];

  constructor(
    code: McpErrorCode,
    servers: readonly string[],
    text: string,
    { logins = [] }: { readonly logins?: readonly NeededLogin[] } = {},
  ) {
    super(code, text);
    this.name = 'McpError';
    this.servers = servers;
    this.logins = logins;
  }
}

/** True if `value` is an {@link McpError} with this code, or with any code by default. Errors of another copy of this package count. */
export const isMcpError: (value: unknown, code?: McpErrorCode) => value is McpError = markErrors(
  McpError,
  'conv.mcp.error',
);
