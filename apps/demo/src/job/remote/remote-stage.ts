import { randomBytes } from 'node:crypto';
import { join } from 'node:path';

import { CommandError, exitCodes } from '@conv/cli';
import { programAgent } from '@conv/cli/parts';
import { RemoteWorkspace } from '@conv/remote';

import { Stage } from '../stage.ts';
import { AgentServerProcess } from './agent-server-process.ts';
import { Client } from './client.ts';
import { CuttingProxy } from './cutting-proxy.ts';

/** Milliseconds before a client retries; short, because a person watches. */
const SOON = { first: 100, most: 1000 };

/** The job on a server: the workers are clients in this process, and a proxy stands between them and the server. */
export class RemoteStage extends Stage<Client> {
  readonly proxy: CuttingProxy = new CuttingProxy();
  /** The key of all the servers. */
  readonly key: string = randomBytes(24).toString('base64url');
  #server: AgentServerProcess | undefined;
  #clientName = 'The client';

  /** The server that was started last. */
  get server(): AgentServerProcess {
    if (!this.#server) throw new Error('no server was started');
    return this.#server;
  }

  /** Starts a server on the folder of the job, and leads clients to it. */
  async serve(): Promise<AgentServerProcess> {
    const server = await AgentServerProcess.start({
      folder: this.base,
      log: join(this.base, 'server.log'),
      environment: {
        ...this.environment,
        // the marker of a running tool lies outside of its folder, and holds its number on this machine
        CONV_SANDBOX: 'off',
        OH_SESSION_API_KEYS_0: this.key,
        OH_CONVERSATIONS_PATH: this.directory,
        OH_PERSISTENCE_DIR: join(this.base, 'settings'),
      },
    });
    this.#server = server;
    this.proxy.leadTo(server.url);
    return server;
  }

  /** Another client, of a server that was stopped in order and started anew. */
  async successor(): Promise<Client> {
    const exitCode = await this.server.stop();
    if (exitCode !== 0) throw new CommandError(exitCodes.failed, `the server ended with ${exitCode ?? 'a signal'}`);
    const { pid } = await this.serve();
    this.#clientName = `The server was stopped and a new one started (pid ${pid}). A second client`;
    return this.start();
  }

  protected create(): Client {
    const name = this.#clientName;
    const { proxy, key: apiKey } = this;
    const workspaceFor = (workingDir: string): RemoteWorkspace =>
      // the story ends the server on purpose: its retries are no news
      new RemoteWorkspace({
        host: proxy.url,
        apiKey,
        workingDir,
        requests: { backoff: SOON, onRetry: () => undefined },
      });
    return new Client({ name, workspaceFor, agent: programAgent(this.chosen.model) });
  }

  protected async leave(): Promise<void> {
    await this.#server?.kill();
    await this.proxy.close();
    // closed clients, and clients that were never opened, have nothing to end
    await Promise.allSettled([...this.workers, ...this.forkWorkers].map((client) => client.end()));
  }
}
