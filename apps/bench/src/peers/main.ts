import { join } from 'node:path';

import { ALL_PEERS } from './all-peers.ts';
import { arePeersInstalled, installPeers, pinnedVersions } from './install.ts';
import { measureAll } from './measure-all.ts';
import { describeMachine, describePart } from './page/machine.ts';
import { COMMITTED, PARTIAL, writePage } from './page/write-page.ts';
import { groupOf } from './peer.ts';
import { toPeerJsonLines, toPeerTables } from './peer-table.ts';
import { FULL, QUICK } from './plan.ts';
import { installPython } from './python.ts';
import type { PeerResult } from './result.ts';
import { SavedRun } from './saved-run.ts';
import { ALL_SERVERS } from './servers/all-servers.ts';

/** Options of the comparison, as on the command line. */
export interface ComparisonOptions {
  readonly quick: boolean;
  readonly json: boolean;
  /** True to write the page and its pictures, too. */
  readonly svg: boolean;
  /** True to go on with a run that was stopped. */
  readonly resume: boolean;
  /** First letters of the keys of the programs to measure. */
  readonly only: string;
}

const log = (line: string): void => void process.stderr.write(`${line}\n`);

/** Installs the peers where they are missing, measures ours and theirs in one run, and prints the tables. */
export async function comparePeers({ quick, json, svg, resume, only }: ComparisonOptions): Promise<void> {
  if (!(await arePeersInstalled())) await installPeers(log);
  const plan = quick ? QUICK : FULL;
  // baselines always, because the others are multiples of them
  const peers = ALL_PEERS.filter(({ key }) => groupOf(key) === 'bare' || key.startsWith(only));
  const servers = ALL_SERVERS.filter(({ key }) => key.startsWith(only));
  const python = [...peers, ...servers].some(({ needs }) => needs) ? await installPython(log) : undefined;
  const versions = await versionsOf([...peers, ...servers]);
  const machine = describeMachine();
  const path = join(PARTIAL.page, `peers${quick ? '-quick' : ''}${only === '' ? '' : `-${only}`}.jsonl`);
  const subject = JSON.stringify({ plan, versions, machine });
  const part = await describePart();
  const saved = resume ? SavedRun.resume(path, subject, part) : SavedRun.begin(path, subject, part);
  log(`results are kept in ${path}; --resume goes on with a run that was stopped`);
  const cells = await measureAll({ peers, servers, plan, python, saved, log });
  const { parts } = saved;
  const result: PeerResult = {
    peers,
    servers,
    sizes: plan.sizes,
    listed: plan.listed,
    versions,
    machine,
    parts,
    cells,
  };
  process.stdout.write(`${json ? toPeerJsonLines(result) : toPeerTables(result)}\n`);
  if (!svg) return;
  const command = `npm run bench -- --peers${quick ? ' --quick' : ''}${only === '' ? '' : ` --only ${only}`} --svg`;
  log(`written: ${await writePage(result, command, quick || only !== '' ? PARTIAL : COMMITTED)}`);
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
