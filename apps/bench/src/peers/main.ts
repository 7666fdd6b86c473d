import { PythonForks } from './adapters/python-process.ts';
import { ALL_PEERS } from './all-peers.ts';
import type { Cell } from './cell.ts';
import { Databases } from './databases.ts';
import { arePeersInstalled, installPeers, pinnedVersions } from './install.ts';
import { COMMITTED, PARTIAL, writePage } from './page/write-page.ts';
import { groupOf, type Peer } from './peer.ts';
import { toPeerJsonLines, toPeerTables } from './peer-table.ts';
import { FULL, QUICK, type PeerPlan } from './plan.ts';
import { installPython } from './python.ts';
import type { PeerResult } from './result.ts';
import { measurePeer, type Measuring } from './run.ts';
import type { AgentServer } from './servers/agent-server.ts';
import { ALL_SERVERS } from './servers/all-servers.ts';
import { measureServer, missingServerCells } from './servers/measure-server.ts';

/** Options of the comparison, as on the command line. */
export interface ComparisonOptions {
  readonly quick: boolean;
  readonly json: boolean;
  /** True to write the page and its pictures, too. */
  readonly svg: boolean;
  /** First letters of the keys of the programs to measure. */
  readonly only: string;
}

const log = (line: string): void => void process.stderr.write(`${line}\n`);

/** Installs the peers where they are missing, measures ours and theirs in one run, and prints the tables. */
export async function comparePeers({ quick, json, svg, only }: ComparisonOptions): Promise<void> {
  if (!(await arePeersInstalled())) await installPeers(log);
  const plan = quick ? QUICK : FULL;
  // baselines always, because the others are multiples of them
  const peers = ALL_PEERS.filter(({ key }) => groupOf(key) === 'bare' || key.startsWith(only));
  const servers = ALL_SERVERS.filter(({ key }) => key.startsWith(only));
  const python = [...peers, ...servers].some(({ needs }) => needs) ? await installPython(log) : undefined;
  const result: PeerResult = {
    peers,
    servers,
    sizes: plan.sizes,
    listed: plan.listed,
    versions: await versionsOf([...peers, ...servers]),
    cells: [...(await measurePeers(peers, plan, python)), ...(await measureServers(servers, plan, python))],
  };
  process.stdout.write(`${json ? toPeerJsonLines(result) : toPeerTables(result)}\n`);
  if (!svg) return;
  const command = `npm run bench -- --peers${quick ? ' --quick' : ''}${only === '' ? '' : ` --only ${only}`} --svg`;
  log(`written: ${await writePage(result, command, quick || only !== '' ? PARTIAL : COMMITTED)}`);
}

async function measurePeers(
  peers: readonly Peer[],
  plan: PeerPlan,
  python: string | undefined,
): Promise<readonly Cell[]> {
  const isAsked = peers.some(({ kind }) => kind === 'postgres');
  await using databases = isAsked ? await startDatabases() : undefined;
  const missingFor = ({ kind, needs }: Peer): string | undefined => {
    if (kind === 'postgres' && !databases) return 'no PostgreSQL on this machine';
    return needs === 'python' ? python : undefined;
  };
  const isPythonAsked = python === undefined && peers.some(({ needs }) => needs === 'python');
  await using _forks = isPythonAsked ? await PythonForks.start() : undefined;
  const cells: Cell[] = [];
  for (const size of plan.sizes)
    for (const peer of peers) {
      log(`measuring ${peer.title} at ${size}`);
      cells.push(...(await measureOrSay(peer, { size, plan, databases, missing: missingFor(peer) })));
    }
  return cells;
}

/** Measures a program. An error that none of its works accounts for is the reason in all its cells: it ends no run of hours. */
async function measureOrSay(peer: Peer, measuring: Measuring): Promise<readonly Cell[]> {
  try {
    return await measurePeer(peer, measuring);
  } catch (error) {
    const missing = `failed: ${error instanceof Error ? error.message : String(error)}`.slice(0, 160);
    log(missing);
    return measurePeer(peer, { ...measuring, missing });
  }
}

async function measureServers(
  servers: readonly AgentServer[],
  plan: PeerPlan,
  python: string | undefined,
): Promise<readonly Cell[]> {
  const cells: Cell[] = [];
  for (const server of servers) {
    log(`measuring ${server.title}`);
    const missing = server.needs === 'python' ? python : undefined;
    cells.push(
      ...(missing === undefined ? await measureServer(server, plan) : missingServerCells(server, plan, missing)),
    );
  }
  return cells;
}

/** Resolves with the versions of the packages that are measured, and of Node. */
async function versionsOf(
  programs: readonly { readonly packages: readonly string[] }[],
): Promise<Readonly<Record<string, string>>> {
  const pinned = await pinnedVersions();
  const names = [...new Set(programs.flatMap(({ packages }) => packages))];
  const versions = Object.fromEntries(names.map((name) => [name, pinned[name] ?? 'unknown']));
  return { node: process.versions.node, ...versions };
}

/** Resolves with `undefined`, after it said why, where no server can be started. */
async function startDatabases(): Promise<Databases | undefined> {
  try {
    return await Databases.start();
  } catch (error) {
    log(`no PostgreSQL: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}
