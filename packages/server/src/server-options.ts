import type { JsonObject } from '@conv/core';
import type { AuthOptions } from './auth/access-keys.ts';
import type { CorsOptions } from './auth/cross-origin.ts';
import type { ServerMetrics } from './routes/serve-metrics.ts';
import type { ServerAbout } from './routes/serve-server-info.ts';
import type { Keep } from './settings/settings-store.ts';
import type { Knowledge } from './routes/catalog.ts';
import type { MachineOptions } from './workspace/workspace-host.ts';
import type { SocketObserver } from './sockets/socket-observer.ts';
import type { HostOptions } from './hosting/host-options.ts';

/** What an agent server is made of. */
export interface AgentServerOptions extends HostOptions, AuthOptions {
  readonly cors?: CorsOptions;
  /** What the server tells of itself. */
  readonly about?: ServerAbout;
  /** What clients may ask for when they put agents together. Default: they are told nothing. */
  readonly knowledge?: Knowledge;
  /**
   * What clients keep beside conversations: settings, secrets, profiles, folders. It usually is {@link HostOptions.profiles} too. Default:
   * nothing is kept.
   */
  readonly keep?: Keep;
  /** Asks a model a short question before a profile of it is kept. Rejects with what is wrong with it. Default: nothing is asked. */
  readonly checkModel?: (llm: JsonObject) => Promise<void>;
  /** What of its machine the server lends to clients: files, git, commands. Default nothing. */
  readonly machine?: MachineOptions;
  /** What the server has counted. Default: there is no such route. */
  readonly metrics?: ServerMetrics;
  /** Told of sockets that are opened and closed. */
  readonly sockets?: SocketObserver;
  /** Bytes of a JSON body. Default 16 MiB. */
  readonly bodyLimit?: number;
}
