import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import type { ConversationStore } from '@conv/core/store';
import { openStore } from '@conv/stores';
import { Findings, Random } from '@conv/testing-harness';
import { createModelServer } from '@conv/testing-model-server';

import { Balancer } from './balancer/balancer.ts';
import { fatesWhen } from './broken/message-fates.ts';
import { compare, type NamedTakeover } from './checks/compare.ts';
import { LogWatcher } from './checks/log-watcher.ts';
import { Participants } from './conversation/participants.ts';
import type { Counter } from './counters.ts';
import { Fleet } from './fleet/fleet.ts';
import { Hands, type HandKind } from './fleet/hands.ts';
import { Podman } from './fleet/podman.ts';
import { removeConversations } from './fleet/remove-conversations.ts';
import { openStorePlace, type StorePlace } from './fleet/store-place.ts';
import { rollServers, strikeAtRandom } from './fleet/strike-servers.ts';
import { makeWorkFolder } from './fleet/work-folder.ts';
import { jobScript } from './model/job-script.ts';
import { Witness } from './model/witness.ts';
import type { Options } from './options.ts';

/** Result of the storm. */
export interface Played {
  readonly kills: number;
  readonly zombies: number;
  readonly ended: number;
  /** Processes that acted for conversations and were killed, by kind. */
  readonly handKills: Readonly<Record<HandKind, number>>;
  readonly takeovers: readonly NamedTakeover[];
  readonly events: number;
  /** Runs that servers gave up because six in a row had ended under them; their clients ran them again. */
  readonly givenUp: number;
  readonly findings: Findings<Counter>;
  /** For people. */
  readonly remarks: readonly string[];
}

/** Everything that a storm is about. */
interface Stage {
  readonly options: Options;
  readonly folder: string;
  readonly place: StorePlace;
  readonly fleet: Fleet;
  readonly hands: Hands | undefined;
  readonly podman: Podman | undefined;
  readonly balancer: Balancer;
  readonly model: Awaited<ReturnType<typeof createModelServer>>;
  readonly witness: Witness;
  readonly findings: Findings<Counter>;
  readonly random: Random;
  readonly log: (line: string) => void;
}

/** Plays the storm, waits for everything to end, and compares. `log` receives lines for people. */
export async function playStorm(options: Options, folder: string, log: (line: string) => void): Promise<Played> {
  const random = new Random(options.seed);
  const findings = new Findings<Counter>();
  // in the folder in which the agents' commands work, because their sandbox shows no other
  const workFolder = join(folder, 'work');
  const records = join(workFolder, 'witness.txt');
  await makeWorkFolder(workFolder, records, options.runtime);
  const witness = new Witness(records);
  const place = await openStorePlace(options.store, folder);
  try {
    const { thinking, breakage, runtime } = options;
    await using podman = runtime === 'docker' ? await Podman.start(folder) : undefined;
    const script = jobScript({ random: new Random(random.seed()), witness, thinking, breakage });
    await using model = await createModelServer({ script });
    await using fleet = await Fleet.start({
      ...options,
      folder: join(folder, 'fleet'),
      place,
      memberVariable: witness.memberVariable,
      engine: podman?.socket,
      log,
      fell: (line) => findings.add('unfinished', line),
    });
    const hands = runtime ? new Hands(workFolder, podman) : undefined;
    const backends = fleet.servers.map(({ plan: { name, port } }) => ({ name, port }));
    await using balancer = await Balancer.start(backends, fatesWhen(breakage));
    const stage = { options, folder, place, fleet, hands, podman, balancer, model, witness, findings, random, log };
    try {
      return await play(stage);
    } finally {
      await podman?.removeOf(workFolder);
    }
  } finally {
    await place.close();
  }
}

async function play(stage: Stage): Promise<Played> {
  const { options, place, fleet, hands, balancer, model, witness, findings } = stage;
  // the store's client of this process
  Object.assign(process.env, place.environment);
  const opened = await openStore(place.address);
  const over = new AbortController();
  const all = await assemble(stage, over.signal);
  const watchers = all.map(({ id }) => new LogWatcher(opened.store, id));
  try {
    const work = all.map((participants) => participants.work());
    await storm(stage);
    over.abort();
    await settle(stage, all, work);
    await arrive(opened.store, all, options.timeout);
    await Promise.all(all.map((participants) => participants.close()));
    await Promise.all(watchers.map((watcher) => watcher.close()));
    await fleet.close();
    for (const what of (await hands?.left()) ?? [])
      findings.add('leftBehind', `${what} runs although all servers have ended`);
    const { strikes, starts } = fleet;
    const compared = await compare({ store: opened.store, all, watchers, witness, strikes, starts, findings });
    const remarks = [...remarksOn(all, balancer, model), ...place.remarks(), ...slowest(compared.takeovers)];
    const [kills, zombies, ended] = [fleet.count('killed'), fleet.count('stopped'), fleet.count('ended')];
    const givenUp = all.reduce((sum, one) => sum + one.givenUp, 0);
    const handKills = hands?.kills ?? { container: 0, executor: 0, program: 0 };
    await removeAll(stage, all);
    return { kills, zombies, ended, handKills, givenUp, findings, remarks, ...compared };
  } finally {
    await Promise.all([...all.map((one) => one.close()), ...watchers.map((watcher) => watcher.close())]);
    await opened.close();
  }
}

/** The participants of all conversations. */
async function assemble(stage: Stage, over: AbortSignal): Promise<readonly Participants[]> {
  const { options, folder, balancer, model, random, log } = stage;
  const workingDir = join(folder, 'work');
  const llm = { model: 'openai/scripted', base_url: model.url, api_key: 'none', usage_id: 'agent', num_retries: 5 };
  const agent = { kind: 'Agent', llm, tools: [{ name: 'terminal', params: {} }], mcp_config: {}, condenser: null };
  return Array.from({ length: options.conversations }, (_, index) => {
    const name = `c${String(index + 1).padStart(2, '0')}`;
    const latest = options.seconds * 500;
    return new Participants({
      name,
      host: balancer.url,
      workingDir,
      agent,
      random: new Random(random.seed()),
      latest,
      pause: options.thinking * 4,
      over,
      log,
    });
  });
}

/** Servers are struck from the moment on at which some agent is at work until time is up; resolves when all are back. */
async function storm({ options, fleet, hands, random, witness, log }: Stage): Promise<void> {
  const { seconds, takeoverSeconds, calm, rolling, timeout } = options;
  const begun = Date.now() + timeout * 1000;
  while (witness.lastMember === undefined && Date.now() < begun) await sleep(50);
  log('somebody is at work');
  const until = Date.now() + seconds * 1000;
  const atWork = (): string | undefined => witness.lastMember;
  const plan = { fleet, random: new Random(random.seed()), until, takeoverSeconds, atWork, hands, log };
  if (calm) await sleep(seconds * 1000);
  else await (rolling ? rollServers(plan) : strikeAtRandom(plan));
}

/** Deletes all conversations, and looks for containers and volumes that stay. */
async function removeAll({ folder, fleet, podman, findings }: Stage, all: readonly Participants[]): Promise<void> {
  if (!podman) return;
  const ids = all.map(({ id }) => id);
  for (const problem of await removeConversations(fleet, ids)) findings.add('leftBehind', problem);
  for (const what of await podman.remainsOf(join(folder, 'work')))
    findings.add('leftBehind', `${what} is there although its conversation was deleted`);
}

/** Waits for the last jobs. */
async function settle(
  { options, findings, log }: Stage,
  all: readonly Participants[],
  work: readonly Promise<void>[],
): Promise<void> {
  log('nobody is struck any more');
  const late = new AbortController();
  const ended = await Promise.all(
    work.map((one) =>
      Promise.race([
        one.then(() => true),
        sleep(options.timeout * 1000, false, { signal: late.signal }).catch(() => false),
      ]),
    ),
  );
  late.abort();
  for (const [number, participants] of all.entries())
    if (!ended[number]) findings.add('unfinished', `${participants.plan.name} does not come to its end`);
  log('all are at their ends');
}

/** Waits until every subscriber was given what is stored. */
async function arrive(store: ConversationStore, all: readonly Participants[], timeout: number): Promise<void> {
  const until = Date.now() + timeout * 1000;
  await Promise.all(
    all.map(async (participants) => {
      const reader = await store.read(participants.id);
      const length = Math.max(reader?.end.event ?? 0, ...participants.recorders.map(({ next }) => next));
      await reader?.close();
      await participants.arrive(length, until);
    }),
  );
}

function remarksOn(all: readonly Participants[], balancer: Balancer, model: Stage['model']): readonly string[] {
  const sum = (of: (one: Participants) => number): number => all.reduce((total, one) => total + of(one), 0);
  const messages = sum(({ sent }) => sent.length);
  const refused = `${sum((one) => one.refused)} commands rejected, ${sum((one) => one.early)} runs resolved early`;
  return [
    `${sum(({ done }) => done)} jobs and ${messages} messages; ${refused}`,
    `${balancer.requests} requests and ${balancer.sockets} sockets; ${model.requests.length} questions to the model`,
    ...model.violations.map((violation) => `refused by the model: ${JSON.stringify(violation).slice(0, 300)}`),
  ];
}

/** Returns the slowest takeovers. */
function slowest(takeovers: readonly NamedTakeover[]): readonly string[] {
  const timed = takeovers.filter(({ milliseconds }) => milliseconds !== undefined);
  return timed
    .toSorted((a, b) => (b.milliseconds ?? 0) - (a.milliseconds ?? 0))
    .slice(0, 3)
    .map(({ name, seq, from = 'somebody', strike, milliseconds }) => {
      return `${milliseconds} ms to take over ${name} at commit ${seq} from ${from}, which was ${strike?.kind}`;
    });
}
