import { ALL_PEERS } from './all-peers.ts';
import type { Cell } from './cell.ts';
import { arePeersInstalled, installPeers, pinnedVersions } from './install.ts';
import { toPeerJsonLines, toPeerTables } from './peer-table.ts';
import { FULL, QUICK } from './plan.ts';
import type { PeerResult } from './result.ts';
import { measurePeer } from './run.ts';

/** Options of the comparison, as on the command line. */
export interface ComparisonOptions {
  readonly quick: boolean;
  readonly json: boolean;
  /** First letters of the keys of the programs to measure. */
  readonly only: string;
}

/** Installs the peers where they are missing, measures ours and theirs in one run, and prints the tables. */
export async function comparePeers({ quick, json, only }: ComparisonOptions): Promise<void> {
  const log = (line: string): void => void process.stderr.write(`${line}\n`);
  if (!(await arePeersInstalled())) await installPeers(log);
  const plan = quick ? QUICK : FULL;
  // baselines always, because the others are multiples of them
  const peers = ALL_PEERS.filter(({ key }) => key.startsWith('bare') || key.startsWith(only));
  const cells: Cell[] = [];
  for (const size of plan.sizes)
    for (const peer of peers) {
      log(`measuring ${peer.title} at ${size}`);
      cells.push(...(await measurePeer(peer, size, plan)));
    }
  const pinned = await pinnedVersions();
  const names = [...new Set(peers.flatMap(({ packages }) => packages))];
  const versions = Object.fromEntries(names.map((name) => [name, pinned[name] ?? 'unknown']));
  const result: PeerResult = {
    peers,
    sizes: plan.sizes,
    versions: { node: process.versions.node, ...versions },
    cells,
  };
  process.stdout.write(`${json ? toPeerJsonLines(result) : toPeerTables(result)}\n`);
}
