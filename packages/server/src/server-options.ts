import type { JsonObject } from '@conv/core';
import type { Sandbox } from '@conv/core/tool';

import type { AuthOptions } from './auth/access-keys.ts';
import type { CorsOptions } from './auth/cross-origin.ts';
import type { DeferredInit } from './init/deferred-init.ts';
import type { ServerMetrics, ServerAbout } from './routes/serve-server-info.ts';
import type { SettingsStore } from './settings/settings-store.ts';
import type { AskAcpModels } from './routes/serve-acp.ts';
import type { Catalog } from './routes/serve-catalog.ts';
import type { WorkspaceHostOptions } from './workspace/workspace-host.ts';
import type { SocketObserver } from './sockets/socket-observer.ts';
import type { HostOptions } from './hosting/host-options.ts';
import type { ServedProtocol } from './protocols/served-protocol.ts';
import type { ReceiversOptions } from './receivers/receivers-options.ts';
import type { LoginsOptions } from './logins/logins-options.ts';
import type { McpTrialsOptions } from './logins/trials-options.ts';
import type { WebhooksOptions } from './webhooks/webhooks-options.ts';

/** Options of an agent server. */
export interface AgentServerOptions extends HostOptions, AuthOptions {
  readonly cors?: CorsOptions;
  /** Information that the server gives about itself. */
  readonly about?: ServerAbout;
  /** Models, skills and hooks that clients may ask for when they configure agents. Default: none are shown. */
  readonly catalog?: Catalog;
  /**
   * Storage for settings, secrets, profiles and folders of clients; usually the same object as {@link HostOptions.profiles}.
   * Default: none.
   */
  readonly settingsStore?: SettingsStore;
  /** Asks a model a short question before its profile is stored. Rejects with the model's error. Default: nothing is asked. */
  readonly checkModel?: (llm: JsonObject) => Promise<void>;
  /**
   * Asks the program of an ACP agent which models it offers, such as `acpModels` of `@conv/acp-agent` does. Default: the answer says that
   * no programs are started.
   */
  readonly acpModels?: AskAcpModels;
  /** The address of GitHub's API, whose repositories are listed with a stored token; for GitHub Enterprise. Default `https://api.github.com`. */
  readonly githubApi?: string;
  /** Options of the file, git and command routes on the server's machine. Default: no such routes. */
  readonly workspaceHost?: WorkspaceHostOptions;
  /**
   * Confines the commands that clients run on the server's machine, each in its folder, such as `sandbox()` of `@conv/sandbox`. Give the
   * same object to the tools that `agents` builds. Default: commands reach all that the server's user reaches.
   */
  readonly sandbox?: Sandbox;
  /** Metrics of the server. Default: there is no such route. */
  readonly metrics?: ServerMetrics;
  /** Callbacks for opened and closed sockets. */
  readonly sockets?: SocketObserver;
  /** Receivers that are told every event of every conversation, also after a crash, in order. Default: none. */
  readonly webhooks?: WebhooksOptions;
  /**
   * Keeps and tells the receivers that clients of protocols name, such as push notifications of A2A. Needs `protocols` and `cipher`. Default: protocols are
   * given none.
   */
  readonly receivers?: ReceiversOptions;
  /** Protocols of adapters that the server speaks beside its own routes, with the same keys. Default: none. */
  readonly protocols?: readonly ServedProtocol[];
  /** Ends logins at MCP servers, with which browsers come back to `/mcp/callback`. Default: there is no such route. */
  readonly logins?: LoginsOptions;
  /** Tries MCP servers that clients are about to store, and begins logins at them. Needs `logins`. Default: there are no such routes. */
  readonly mcpTrials?: McpTrialsOptions;
  /** Bytes of a JSON body. Default 16 MiB. */
  readonly bodyLimit?: number;
  /** The configuration by a request, after which this server took the place of a `waitingServer`. Default: there was none. */
  readonly deferredInit?: DeferredInit;
}
