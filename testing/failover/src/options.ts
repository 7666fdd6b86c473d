import {
  isStoreKind,
  STORE_KINDS,
  wholeNumber,
  commandLine,
  seedOf,
  breakageOf,
  type StoreKind,
} from '@conv/testing-harness';

import { BREAKAGES, type Breakage } from './broken/breakage.ts';
import { HAND_RUNTIMES, type HandRuntime } from './fleet/hands.ts';

/** Options of the command line. */
export interface Options {
  readonly store: StoreKind;
  readonly servers: number;
  readonly conversations: number;
  /** For how long servers are struck. */
  readonly seconds: number;
  /** Servers are ended in turn as an administrator does, instead of being struck at random. */
  readonly rolling: boolean;
  /** Where conversations act outside of their servers and are struck, too; `null` if they act in their servers. */
  readonly runtime: HandRuntime | null;
  /** The image of containers. */
  readonly image: string;
  /** True if no server is struck. */
  readonly calm: boolean;
  /** Seconds of silence after which an owner may be taken over. */
  readonly takeoverSeconds: number;
  /** Runs that a server takes at the same time. */
  readonly runs: number;
  /** Milliseconds that a model thinks at most; at least a fourth of it. */
  readonly thinking: number;
  /** Seconds in which all work has to end after the last strike. */
  readonly timeout: number;
  readonly seed: number;
  /** Nothing but the result line is written. */
  readonly json: boolean;
  /** A line for each strike and whatever was refused. */
  readonly verbose: boolean;
  /** True to keep the files of servers and tools. */
  readonly keep: boolean;
  readonly help: boolean;
  /** The breakage on purpose. */
  readonly breakage: Breakage | null;
}

/** The image that `npm run image` builds. */
const IMAGE = 'localhost/conv-agent-server';

/** Text of `--help`. */
export const USAGE: string = `Kills, stops and revives the servers of a fleet on one store while conversations run on it, and compares what clients
were told and what tools did with what is stored. Prints one line of JSON; exits with 1 when something was found, or nobody was taken over.

  npm run failover -- [--seconds 120] [--conversations 50] [--servers 3] [--store KIND] [--rolling]

  --seconds N           for how long servers are struck, default 120
  --conversations N     default 50
  --servers N           default 3
  --store KIND          ${STORE_KINDS.join(', ')}; default postgres
  --rolling             servers are ended with SIGTERM in turn and started again, instead of being struck at random
  --runtime NAME        local: conversations act in their servers. ${HAND_RUNTIMES.join(', ')}: each in a sandbox, or a container of Podman, of its
                        own; containers, executors and the programs of agents are killed, too. Default local
  --image NAME          the image of containers, which npm run image builds; default ${IMAGE}
  --calm                nobody is struck
  --takeover-seconds N  after how long a silent owner may be taken over, default 5
  --runs N              runs that a server takes at the same time, default as many as there are conversations
  --thinking MS         how long the model thinks at most, default 4000
  --timeout N          seconds that everything has to end in afterwards, default 120
  --seed S              draws what an earlier run drew; when bytes meet each other is not the same
  --json                nothing is written but the result line
  --verbose             a line for each strike and for what was refused
  --keep                what servers and tools wrote stays
  --break NAME          breaks something on purpose: ${Object.keys(BREAKAGES).join(', ')}
`;

/** Returns the options of the command line. Throws `TypeError` that names the wrong one. */
export function parseOptions(args: readonly string[]): Options {
  const values = commandLine(args, {
    seconds: { type: 'string', default: '120' },
    conversations: { type: 'string', default: '50' },
    servers: { type: 'string', default: '3' },
    store: { type: 'string', default: 'postgres' },
    rolling: { type: 'boolean', default: false },
    calm: { type: 'boolean', default: false },
    runtime: { type: 'string', default: 'local' },
    image: { type: 'string', default: IMAGE },
    'takeover-seconds': { type: 'string', default: '5' },
    runs: { type: 'string' },
    thinking: { type: 'string', default: '4000' },
    timeout: { type: 'string', default: '120' },
    seed: { type: 'string' },
    json: { type: 'boolean', default: false },
    verbose: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
    break: { type: 'string' },
  });
  const { rolling, calm, image, json, verbose, keep, help } = values;
  return {
    rolling,
    calm,
    image,
    runtime: runtimeOf(values.runtime),
    json,
    verbose,
    keep,
    help,
    store: storeOf(values.store),
    servers: wholeNumber('servers', values.servers, 1),
    conversations: wholeNumber('conversations', values.conversations, 1),
    seconds: wholeNumber('seconds', values.seconds, 1),
    takeoverSeconds: wholeNumber('takeover-seconds', values['takeover-seconds'], 1),
    runs: wholeNumber('runs', values.runs ?? values.conversations, 1),
    thinking: wholeNumber('thinking', values.thinking, 0),
    timeout: wholeNumber('timeout', values.timeout, 1),
    seed: seedOf(values.seed),
    breakage: breakageOf(values.break, BREAKAGES),
  };
}

function storeOf(store: string): StoreKind {
  if (isStoreKind(store)) return store;
  throw new TypeError(`--store takes ${STORE_KINDS.join(', ')}, not ${store}`);
}

function runtimeOf(name: string): HandRuntime | null {
  const runtime = HAND_RUNTIMES.find((each) => each === name);
  if (runtime === undefined && name !== 'local')
    throw new TypeError(`--runtime takes local, ${HAND_RUNTIMES.join(', ')}, not ${name}`);
  return runtime ?? null;
}
