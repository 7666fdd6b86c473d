import type { ContainerLimits } from '@conv/container';
import type { SandboxLimits, SandboxMode } from '@conv/sandbox';
import type { WebhookOptions } from '@conv/server';
import type { KeyDigests, OidcOptions } from '@conv/server/access';
import type { ProtocolName } from '../protocols/protocol-names.ts';

/** The choices for a command that the sandbox refuses to an agent. */
export const OUTSIDE = ['never', 'ask'] as const;

/** The makers of a conversation's title. */
export const TITLES = ['model', 'message'] as const;

/** The names of the places in which tools of conversations may act. */
export const RUNTIMES = ['local', 'sandbox', 'docker'] as const;

/** One of {@link RUNTIMES}. */
export type RuntimeName = (typeof RUNTIMES)[number];

/** Configuration of the server. Paths are absolute. */
export interface Configuration {
  /** The address at which it listens. Default `127.0.0.1`; an address that other machines reach needs a key. */
  readonly host: string;
  readonly port: number;
  /** Keys that open the server. Without any key the server makes a token. */
  readonly sessionKeys: readonly string[];
  /** Digests of further session keys, which the server need not know. */
  readonly sessionKeyDigests: readonly KeyDigests[];
  /** Keys that open the server and may approve. With any of them, session keys may not approve. */
  readonly approverKeys: readonly string[];
  /** Accepts tokens of a login by OpenID Connect, beside keys. */
  readonly oidc: OidcOptions | undefined;
  /** Encrypts secrets at rest and on their way to clients. Default: a generated key, stored beside the settings. */
  readonly secretKey: string | undefined;
  /** Earlier secret keys, which can still decrypt. */
  readonly oldSecretKeys: readonly string[];
  /** The store of conversations: `fs:DIR`, `sqlite:FILE`, `postgres://…`, `s3:BUCKET/PREFIX`. */
  readonly store: string;
  /** A folder for each conversation's side files; that of the store if the store keeps folders. */
  readonly conversationsFolder: string;
  /** The folder of conversations that name none, and of commands that clients run. */
  readonly workspaceFolder: string;
  /** True for a server that waits for a request with the rest of its configuration, `POST /api/init`. */
  readonly deferredInit: boolean;
  /** The folder of git worktrees that conversations ask for. Default: `worktrees` beside the conversations. */
  readonly worktreesFolder: string;
  /** The folder of settings, secrets, profiles and the list of workspaces of clients. */
  readonly settingsFolder: string;
  /** Folders that file, git and command routes may touch. */
  readonly allowedFolders: readonly string[];
  /** True for an executor: a server without conversations, which runs commands and changes files for conversations elsewhere. */
  readonly executor: boolean;
  /** The way in which commands are confined. With `on` and `closed` the server does not start where the machine has no sandbox. Default `auto`. */
  readonly sandbox: SandboxMode;
  /** Limits of each program in the sandbox, with all that it starts, in place of the defaults of `@conv/sandbox`. */
  readonly sandboxLimits: SandboxLimits;
  /** Folders and files that programs in the sandbox read as well. */
  readonly sandboxRead: readonly string[];
  /** The only hosts that programs in the sandbox reach; empty for the network that `sandbox` names. */
  readonly sandboxHosts: readonly string[];
  /** `ask` lets an agent ask about a command that the sandbox refuses; a key needs the scopes approve and admin to allow it. Default `never`. */
  readonly sandboxOutside: (typeof OUTSIDE)[number];
  /**
   * The places in which tools of conversations may act; a conversation whose client names none gets the first. `local`: this process;
   * `sandbox`: a process for each conversation, in the sandbox; `docker`: a container for each.
   */
  readonly runtimes: readonly RuntimeName[];
  /** The image of containers of the runtime `docker`, with this program in it. */
  readonly containerImage: string | undefined;
  /** Limits of each container, in place of the defaults of `@conv/container`; a client may ask for less. */
  readonly containerLimits: ContainerLimits;
  /** The name of the engine's program that runs containers. Default: that of the engine. */
  readonly containerRuntime: string | undefined;
  readonly corsOrigins: readonly string[];
  readonly corsOriginPattern: string | undefined;
  /**
   * The URL at which browsers reach the server, or any server of its fleet. They come back to it from logins at MCP servers. Default: the URL at which it
   * listens, if other machines cannot reach that.
   */
  readonly publicUrl: string | undefined;
  /** Hosts of authorization servers that MCP servers may name although they are not public. */
  readonly mcpHosts: readonly string[];
  /** The URL at which other servers on the same store reach this server. Setting it makes the server part of a fleet. */
  readonly serverUrl: string | undefined;
  /**
   * URLs of the servers of a fleet; a `*` stands for a part of a name or for a port. The server sends requests to no other
   * server.
   */
  readonly serverPeers: readonly string[];
  /** Receivers that are told every event of every conversation. */
  readonly webhooks: readonly WebhookOptions[];
  /** Hosts that webhooks and push notifications reach although they are not public. */
  readonly webhookHosts: readonly string[];
  /** The protocols that the server speaks beside its own routes. Default: all. */
  readonly protocols: readonly ProtocolName[];
  /** `message` makes the title of a conversation of its first message, without a call of its model. Default `model`. */
  readonly titles: (typeof TITLES)[number];
  /** The name of the agent for clients of A2A and MCP. Default `conv`. */
  readonly agentName: string | undefined;
  /** The purpose of the agent, which clients of A2A and MCP read. */
  readonly agentDescription: string | undefined;
  /** The folder with `.openhands` and `.agents`, in which skills and plugins of the user are. Default: the home of the user. */
  readonly userFolder: string;
  /** Hosts of repositories with skills and plugins that are not public. */
  readonly pluginHosts: readonly string[];
  /** The marketplace of skills and plugins: a folder or a repository. Null for none. Default: OpenHands' public one. */
  readonly marketplace: string | null;
  /** A branch, a tag or a commit of the marketplace. Default: its HEAD. */
  readonly marketplaceRef: string | undefined;
  /** Seconds without a heartbeat after which a conversation may be taken over from its server. */
  readonly takeoverSeconds: number;
  /** Maximum number of concurrent runs; further runs wait. */
  readonly maxConcurrentRuns: number;
  /** US dollars that are kept free for a call of a model of a key with a limit of cost, until a dearer call is known. */
  readonly reservedCost: number;
  /** Seconds for which a call waits for a person, before it is rejected. Default: no limit. */
  readonly approvalSeconds: number | undefined;
  /** Seconds after which an unused conversation is closed. */
  readonly idleSeconds: number;
  /** Seconds without a request with a key after which the server ends by itself; `undefined`: never. */
  readonly abandonedSeconds: number | undefined;
  /** Seconds that a shutdown may take; clients that are still there are cut off after half of it. */
  readonly shutdownSeconds: number;
  readonly logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';
  /** True to log lines of JSON, false for plain text. */
  readonly logJson: boolean;
  /** True to serve `/metrics` without a key. */
  readonly metricsOpen: boolean;
  /** A folder of files that the server offers at `/`, without a key. */
  readonly staticFolder: string | undefined;
  /** The folder of the built page of `@conv/studio`, which the server offers at `/studio/`, without a key. */
  readonly studioFolder: string | undefined;
  /** Seconds after which events of commands of clients are forgotten. Default: they stay until newer ones need their place. */
  readonly bashEventSeconds: number | undefined;
  /** Files from which the configuration was read, keys included. They are protected from agents. */
  readonly ownFiles: readonly string[];
  /**
   * Returns the configuration with settings that a request adds, for a server with `deferredInit`. These settings take precedence over
   * all sources. Throws `ConfigurationError` as the start of a server does.
   */
  readonly complete: ((given: Given) => Configuration) | undefined;
}

/** Settings of one source, before they are checked. */
export type Given = Readonly<Partial<Record<Exclude<keyof Configuration, 'ownFiles' | 'complete'>, unknown>>>;
