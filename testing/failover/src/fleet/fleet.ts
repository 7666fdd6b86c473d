import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';

import type { HandRuntime } from './hands.ts';
import { lastingPorts } from './lasting-ports.ts';
import { ServerProcess } from './server-process.ts';
import type { StorePlace } from './store-place.ts';

/** A strike on a server. */
export interface Strike {
  readonly kind: 'killed' | 'stopped' | 'ended';
  /** The process that it was done to. */
  readonly member: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** A process that began to work on a conversation, as it logged. */
export interface Start {
  readonly member: string;
  readonly conversation: string;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** Plan of a fleet. */
export interface FleetPlan {
  readonly servers: number;
  readonly folder: string;
  readonly place: StorePlace;
  readonly takeoverSeconds: number;
  /** Runs that each takes at the same time. */
  readonly runs: number;
  readonly memberVariable: string;
  /** The runtime of conversations that act outside of their servers. */
  readonly runtime: HandRuntime | null;
  /** The image of containers, and the socket of their engine. */
  readonly image: string;
  readonly engine: string | undefined;
  /** Told of each strike and of each return. */
  readonly log: (line: string) => void;
  /** Told of servers that end by themselves, or not in order when they should. */
  readonly fell: (line: string) => void;
}

/** Servers on one store, each of which knows how the others reach it. */
export class Fleet implements AsyncDisposable {
  readonly servers: readonly ServerProcess[];
  readonly strikes: Strike[] = [];
  readonly starts: readonly Start[];
  readonly #log: (line: string) => void;
  readonly #fell: (line: string) => void;

  private constructor(servers: readonly ServerProcess[], starts: readonly Start[], { log, fell }: FleetPlan) {
    this.servers = servers;
    this.starts = starts;
    this.#log = log;
    this.#fell = fell;
  }

  /** Resolves when all of them take requests. */
  static async start(plan: FleetPlan): Promise<Fleet> {
    const ports = await lastingPorts(plan.servers);
    await mkdir(plan.folder, { recursive: true });
    const starts: Start[] = [];
    const heard = (line: string, member: string): void => void starts.push(...startIn(line, member));
    const servers = ports.map((port, index) => {
      const { folder, memberVariable, fell } = plan;
      const [name, environment] = [`server-${index + 1}`, environmentOf(plan, port)];
      return new ServerProcess({ name, folder, port, environment, memberVariable, heard, fell });
    });
    const fleet = new Fleet(servers, starts, plan);
    try {
      await Promise.all(servers.map((server) => server.start()));
    } catch (error) {
      await fleet[Symbol.asyncDispose]();
      throw error;
    }
    return fleet;
  }

  /** The servers that are up. */
  get up(): readonly ServerProcess[] {
    return this.servers.filter(({ state }) => state === 'up');
  }

  count(kind: Strike['kind']): number {
    return this.strikes.filter((strike) => strike.kind === kind).length;
  }

  /** Kills a server. */
  async kill(server: ServerProcess): Promise<void> {
    this.#struck('killed', server);
    await server.kill();
  }

  /** Stops a server, which does not know of it. */
  stop(server: ServerProcess): void {
    this.#struck('stopped', server);
    server.stop();
  }

  /** Ends a server in order; resolves when it is gone. */
  async end(server: ServerProcess): Promise<void> {
    this.#struck('ended', server);
    const began = Date.now();
    const status = await server.end();
    const how = `${server.member} ended with ${status} after ${Date.now() - began} ms`;
    this.#log(how);
    if (status !== 0) this.#fell(`${how}: ${server.log.slice(-2000)}`);
  }

  /** Brings a server back, whether it is stopped or down. Never rejects; a server that does not come back is reported. */
  async revive(server: ServerProcess): Promise<void> {
    try {
      if (server.state === 'stopped') server.wake();
      else if (server.state === 'down') await server.start();
      this.#log(`${server.member} is back`);
    } catch (error) {
      this.#fell(String(error));
    }
  }

  /** Ends all of them in order. */
  async close(): Promise<void> {
    await Promise.all(
      this.servers.map(async (server) => {
        server.wake();
        await server.end();
      }),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.servers.map((server) => server.kill()));
  }

  #struck(kind: Strike['kind'], { member }: ServerProcess): void {
    this.strikes.push({ kind, member, at: Date.now() });
    this.#log(`${member} is ${kind}`);
  }
}

/** Opens every server of a fleet. */
export const SESSION_KEY = 'the-session-key-of-the-storm';

function environmentOf(
  { place, takeoverSeconds, runs, folder, runtime, image, engine }: FleetPlan,
  port: number,
): Readonly<Record<string, string>> {
  return {
    ...place.environment,
    CONV_HOST: '127.0.0.1',
    CONV_PORT: String(port),
    CONV_STORE: place.address,
    CONV_SERVER_URL: `http://127.0.0.1:${port}`,
    CONV_TAKEOVER_SECONDS: String(takeoverSeconds),
    CONV_LOG_LEVEL: 'info',
    ...(runtime && { CONV_RUNTIMES: runtime }),
    ...(engine !== undefined && { OH_CONVERSATION_IMAGE: image, CONTAINER_HOST: `unix://${engine}` }),
    OH_MAX_CONCURRENT_RUNS: String(runs),
    CONV_SERVER_PEERS: 'http://127.0.0.1:*',
    OH_SESSION_API_KEYS_0: SESSION_KEY,
    OH_SECRET_KEY: 'the-same-for-all-servers',
    OH_CONVERSATIONS_PATH: join(folder, 'conversations'),
    OH_WORKSPACE_PATH: join(folder, 'project'),
    OH_PERSISTENCE_DIR: join(folder, 'settings'),
  };
}

/** The start of a run that a line of a log tells of. */
function startIn(line: string, member: string): readonly Start[] {
  if (!line.includes('"msg":"run started"')) return [];
  const { time, conversation } = JSON.parse(line) as { readonly time: string; readonly conversation: string };
  return [{ member, conversation, at: Date.parse(time) }];
}
