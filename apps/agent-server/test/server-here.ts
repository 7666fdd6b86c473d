import { randomUUID } from 'node:crypto';
import { join } from 'node:path';

import type { JsonObject } from '@conv/core';

import { startAgentServer } from '../src/agent-server.ts';
import type { RunningServer } from '../src/running-server.ts';
import { readConfiguration } from '../src/configuration/read-configuration.ts';
import { LivingVaults } from '../src/living-vaults.ts';
import { createLog } from '../src/log.ts';
import { type Answer, callWith } from './server-process.ts';

/**
 * A server with all of its settings in the process of the tests. The start of a process takes longer than most tests, and only a
 * test of signals, of the environment or of a crash needs one.
 */
export class ServerHere {
  readonly key: string;
  readonly #running: RunningServer;

  private constructor(key: string, running: RunningServer) {
    this.key = key;
    this.#running = running;
  }

  /** Starts a server that keeps everything in a folder. Resolves when it takes requests. */
  static async start(cwd: string, variables: Readonly<Record<string, string>> = {}): Promise<ServerHere> {
    const key = randomUUID();
    const environment = {
      OH_CONVERSATIONS_PATH: join(cwd, 'workspace/conversations'),
      CONV_WORKSPACE_FOLDER: join(cwd, 'workspace/project'),
      CONV_USER_FOLDER: cwd,
      CONV_MARKETPLACE: 'off',
      OH_SESSION_API_KEYS_0: key,
      ...variables,
    };
    const configuration = await readConfiguration({ options: { port: 0, logLevel: 'silent' }, environment });
    const vaults = new LivingVaults();
    return new ServerHere(
      key,
      await startAgentServer(configuration, { log: createLog(configuration, vaults.mask), vaults }),
    );
  }

  get url(): string {
    return this.#running.url;
  }

  /** Asks with the key of the server. */
  call<Body = JsonObject>(method: string, path: string, body?: unknown): Promise<Answer<Body>> {
    return callWith(this.key, this.url + path, { method, body });
  }

  /** Ends it as it should. */
  stop(): Promise<void> {
    return this.#running.close();
  }
}
