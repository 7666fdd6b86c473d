import { checks, checkOptionNames, type OptionNames, type RemoteWorkspaceDescription } from '@conv/core';
import { timers, systemPlatform, type BackoffOptions, type Platform } from '@conv/core/platform';
import { fileRoutes, gitRoutes, serverRoutes, type GitChange, type GitDiff } from '@conv/openhands/rest';
import type { Dispatcher } from 'undici';

import { callRoute, toServerCall } from '../transport/call-route.ts';
import { ServerAddress } from '../transport/server-address.ts';
import { ServerClient, type RequestOptions, type ServerConnection } from '../transport/server-client.ts';
import { readServerInfo, type ServerInfo } from '../transport/server-info.ts';
import type { SocketAgent } from '../transport/socket-end.ts';
import { checkHeaders } from './check-headers.ts';
import { runCommand, type CommandOptions, type CommandResult } from './run-command.ts';

/** The address of a server, and the settings of connections to it. */
export interface RemoteWorkspaceOptions {
  /** `http(s)://host[:port][/prefix]`; without a scheme `http`. This or `url`. */
  readonly host?: string;
  /** The same as `host`. */
  readonly url?: string;
  /** The folder on the server that agents work in. Default `workspace/project`. */
  readonly workingDir?: string;
  /** The server's session key. Never in an address, an error or a description. */
  readonly apiKey?: string;
  /** Sent with each request and with each socket's. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Makes HTTP connections, such as a `ProxyAgent`. The caller closes it. */
  readonly dispatcher?: Dispatcher;
  /** Makes connections of sockets: an agent for the same proxy. */
  readonly socketAgent?: SocketAgent;
  /** Clock, timers and ids. Default: those of the host. */
  readonly platform?: Platform;
  /** Certificates, PEM, of the authorities to trust instead of the usual ones. Not together with `dispatcher`. */
  readonly ca?: string | readonly string[];
  /** Timeouts of answers, and retries of requests. */
  readonly requests?: RequestOptions;
}

const NAMES: OptionNames<RemoteWorkspaceOptions> = {
  host: true,
  url: true,
  workingDir: true,
  apiKey: true,
  headers: true,
  dispatcher: true,
  socketAgent: true,
  platform: true,
  ca: true,
  requests: true,
};

const REQUESTS: OptionNames<RequestOptions> = {
  answerTimeout: true,
  requestTimeout: true,
  backoff: true,
  onRetry: true,
  onRecovered: true,
};

const BACKOFF: OptionNames<BackoffOptions> = { first: true, most: true };

const COMMAND: OptionNames<CommandOptions> = { cwd: true, timeout: true, signal: true };

const SIGNAL = { signal: true } as const;

const DEFAULT_FOLDER = 'workspace/project';

/**
 * A folder on an agent server. As the option `workspace` it selects the remote runtime; its methods work in the folder without an
 * agent.
 */
export class RemoteWorkspace implements RemoteWorkspaceDescription {
  readonly kind = 'RemoteWorkspace';
  /** The server's address, without a slash at its end. */
  readonly host: string;
  readonly workingDir: string;
  readonly #options: RemoteWorkspaceOptions;
  readonly #connection: ServerConnection;
  #client: ServerClient | undefined;

  /** Throws `INVALID_INPUT` for a wrong address or option. */
  constructor(options: RemoteWorkspaceOptions) {
    checkOptionNames('RemoteWorkspace', options, NAMES, checks.invalid);
    const { requests = {} } = options;
    checkOptionNames('RemoteWorkspace: requests', requests, REQUESTS, checks.invalid);
    checkOptionNames('RemoteWorkspace: requests.backoff', requests.backoff ?? {}, BACKOFF, checks.invalid);
    const given = options.url ?? options.host;
    if (given === undefined)
      throw checks.invalid(
        checks.wrongValue('RemoteWorkspace: host', "the address of a server, such as 'http://127.0.0.1:8000'", given),
      );
    const address = new ServerAddress(given);
    const { platform = systemPlatform, apiKey, headers, dispatcher, ca, workingDir = DEFAULT_FOLDER } = options;
    if (typeof workingDir !== 'string' || workingDir === '')
      throw checks.invalid(checks.wrongValue('RemoteWorkspace: workingDir', 'a folder on the server', workingDir));
    if (apiKey !== undefined && (typeof apiKey !== 'string' || !/^[\x21-\x7e]+$/.test(apiKey)))
      throw checks.invalid(
        `${checks.wrongValue('RemoteWorkspace: apiKey', 'a key of visible characters, without spaces or line ends', apiKey)}; if you read it from a file, remove the line end`,
      );
    checkHeaders(headers);
    this.host = address.url;
    this.workingDir = workingDir;
    this.#options = options;
    const key = apiKey === undefined ? {} : { 'x-session-api-key': apiKey };
    this.#connection = { platform, address, headers: { ...headers, ...key }, dispatcher, ca };
  }

  /** Makes a separate client for this server; the caller closes it. @internal */
  connect(platform: Platform = this.#connection.platform): ServerClient {
    return new ServerClient({ ...this.#connection, platform }, this.#options.requests);
  }

  /** Agent that makes the connections of sockets. @internal */
  get socketAgent(): SocketAgent | undefined {
    return this.#options.socketAgent;
  }

  /** Timeouts and retries of connections to this server. @internal */
  get requests(): RequestOptions {
    return this.#options.requests ?? {};
  }

  /**
   * Runs a command on the server and waits for its end. Resolves with its output and its exit code, -1 after the timeout. Rejects
   * as every request: `DENIED`, `UNREACHABLE`, `SERVER_FAILED`; `signal.reason` when aborted.
   */
  async executeCommand(command: string, options: CommandOptions = {}): Promise<CommandResult> {
    checkOptionNames('executeCommand', options, COMMAND, checks.invalid);
    return runCommand(this.#own, command, { cwd: this.workingDir, ...options });
  }

  /** Writes a file on the server. `path` is absolute; missing folders are created. */
  async upload(
    path: string,
    content: Uint8Array | string,
    options: { readonly signal?: AbortSignal } = {},
  ): Promise<void> {
    checkOptionNames('upload', options, SIGNAL, checks.invalid);
    const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : new Uint8Array(content);
    const form = { name: path.split('/').at(-1) || 'file', bytes };
    // writing the same bytes to the same path twice is harmless
    const sending = { form, repeatable: true, signal: options.signal };
    await this.#own.send(toServerCall(fileRoutes.upload, { query: { path } }, sending));
  }

  /** Reads a file on the server; `path` is absolute. Rejects `NOT_FOUND`. */
  async download(path: string, options: { readonly signal?: AbortSignal } = {}): Promise<Uint8Array> {
    checkOptionNames('download', options, SIGNAL, checks.invalid);
    const call = toServerCall(fileRoutes.download, { query: { path } }, { signal: options.signal });
    return (await this.#own.send(call)).body;
  }

  /**
   * Lists the files that differ from the last commit, or from `ref`, in a folder on the server. Outside a repository the list is
   * empty.
   */
  async gitChanges(
    path: string = this.workingDir,
    options: { readonly ref?: string } = {},
  ): Promise<readonly GitChange[]> {
    checkOptionNames('gitChanges', options, { ref: true }, checks.invalid);
    return callRoute(this.#own, gitRoutes.listChanges, { query: { path, ref: options.ref } });
  }

  /** Returns the current and the earlier content of a file. */
  async gitDiff(path: string, options: { readonly ref?: string; readonly commit?: string } = {}): Promise<GitDiff> {
    checkOptionNames('gitDiff', options, { ref: true, commit: true }, checks.invalid);
    const query = { path, ref: options.ref, commit: options.commit };
    const { modified = null, original = null } = await callRoute(this.#own, gitRoutes.getDiff, { query });
    return { modified, original };
  }

  /** True if the server answers within 5 seconds. Needs no key, never rejects. */
  async alive(): Promise<boolean> {
    const signal = timers.deadline(this.#connection.platform, 5_000);
    try {
      await this.#own.send(toServerCall(serverRoutes.getHealth, {}, { signal, repeatable: false, quiet: true }));
      return true;
    } catch {
      return false;
    } finally {
      signal.cancel();
    }
  }

  /** Returns the description that the server gives of itself. Needs no key. */
  async serverInfo(options: { readonly signal?: AbortSignal } = {}): Promise<ServerInfo> {
    checkOptionNames('serverInfo', options, SIGNAL, checks.invalid);
    return readServerInfo(this.#own, options.signal);
  }

  /** Closes the connections of this object; conversations have their own. */
  async close(): Promise<void> {
    await this.#client?.close();
    this.#client = undefined;
  }

  get #own(): ServerClient {
    this.#client ??= this.connect();
    return this.#client;
  }
}
