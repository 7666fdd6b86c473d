import type { JsonObject, ToolSession } from '@conv/core/tool';

/** A record of {@link McpAuthRecords}, and the version that a change of it expects. */
export interface McpAuthRecord {
  readonly value: JsonObject;
  /** Opaque; each stored value has its own. */
  readonly version: string;
}

/**
 * Records of authorizations at MCP servers: tokens, registrations of clients and logins that are on. They hold secrets, so encrypt
 * them where you keep them. Several processes may use the same records.
 */
export interface McpAuthRecords {
  /** Resolves with a record; `undefined` if there is none. A key has 43 characters of base64url. */
  get(key: string): Promise<McpAuthRecord | undefined>;
  /**
   * Stores a record durably, or removes it with `undefined`. Resolves with false, and changes nothing, if another version is stored than
   * `expected`; null expects that there is none.
   */
  replace(key: string, value: JsonObject | undefined, expected: string | null): Promise<boolean>;
}

/** The way to authorize at MCP servers with the strategy `oauth2`. */
export interface McpAuthorization {
  readonly records: McpAuthRecords;
  /**
   * The address that the browser of a person comes back to, which calls `finishMcpLogin`. A function is called when a login begins, such as
   * to listen at a port of this machine. The text of its error is shown to people and to the model.
   */
  readonly redirectUrl: string | (() => string | Promise<string>);
  /** The person whose authorizations a conversation uses, as a text that is not empty. An error is shown as that of `redirectUrl`. Default: all conversations share them. */
  readonly owner?: (session: Pick<ToolSession, 'conversationId'>) => string | Promise<string>;
  /**
   * Authorization servers that are not public, such as `login.internal:8443`. A server of the configuration names its authorization server,
   * and only addresses of the internet, these, and the host of the server itself are asked. Default: none.
   */
  readonly hosts?: readonly string[];
  /** The name that people read when they allow access. Default `conv`. */
  readonly clientName?: string;
  /** The https address of a document about this client, for authorization servers that take one in place of a registration. Default: none. */
  readonly clientMetadataUrl?: string;
}
