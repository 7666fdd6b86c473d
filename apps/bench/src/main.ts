#!/usr/bin/env node
import { parseArgs } from 'node:util';

import { inCi } from '@conv/testing-harness';
import { reaches, type Figure } from './figure.ts';
import { rating } from './figures/analyzer.ts';
import { appendInConversations } from './figures/append-conversations.ts';
import { appendManyInFlight } from './figures/append-many.ts';
import { appendOneAtATime } from './figures/append-one.ts';
import { condensedStep } from './figures/condense.ts';
import { containerReady } from './figures/container-ready.ts';
import { delivery } from './figures/delivery.ts';
import { firstToken } from './figures/first-token.ts';
import { followers } from './figures/followers.ts';
import { fleetIdle } from './figures/fleet-idle.ts';
import { fleetRequests } from './figures/fleet-requests.ts';
import { fleetSteps } from './figures/fleet-steps.ts';
import { fleetStorage } from './figures/fleet-storage.ts';
import { fleetTakeover } from './figures/fleet-takeover.ts';
import { fork } from './figures/fork.ts';
import { idleConversations } from './figures/idle-conversations.ts';
import { listPages } from './figures/list-pages.ts';
import { masking } from './figures/masking.ts';
import { appendToPostgres } from './figures/append-postgres.ts';
import { appendToSqlite } from './figures/append-sqlite.ts';
import { imports } from './figures/imports.ts';
import { interrupt } from './figures/interrupt.ts';
import { openAndReadTail } from './figures/open.ts';
import { openInNewProcess } from './figures/open-fresh.ts';
import { requestsOfS3 } from './figures/requests-s3.ts';
import { reconnect } from './figures/reconnect.ts';
import { pastStates } from './figures/past-states.ts';
import { replay } from './figures/replay.ts';
import { runningAtOnce } from './figures/running-at-once.ts';
import { sandboxedStart } from './figures/sandboxed-start.ts';
import { sandboxedTools } from './figures/sandboxed-tools.ts';
import { sendMessages } from './figures/send.ts';
import { serverCommand } from './figures/server-command.ts';
import { socketEvent } from './figures/socket-event.ts';
import { listStart, serverStart } from './figures/starts.ts';
import { stateSize } from './figures/state-size.ts';
import { stepOverhead } from './figures/step.ts';
import { studioFrames } from './figures/studio-frames.ts';
import { stuckCheck } from './figures/stuck.ts';
import { manySubscribers, stalledSubscriber } from './figures/subscribers.ts';
import { openThousand } from './figures/open-thousand.ts';
import { measureGuarded, toWorseLines, worseOf, type RecordedRatios } from './guard.ts';
import { comparePeers } from './peers/main.ts';
import { RECORDED, recordedRatios, writeRecorded } from './recorded-run.ts';
import { toJsonLines, toTable } from './table.ts';

const USAGE = `Measures the figures of the design beside a plain baseline.

  npm run bench -- [--quick] [--json] [--only PREFIX] [--before FOLDER] [--guard | --record ROUNDS]
  npm run bench -- --peers [--quick] [--json] [--svg] [--only PREFIX] [--resume]

  --quick          smaller sizes; with --peers fewer samples
  --json           one line of JSON for each figure
  --only PREFIX    only measurements whose name starts so, such as "append" or "open"; with --peers only programs, such as "conv"
  --before FOLDER  another build of this project, beside which "load event" and "load running" are measured
  --guard          fails if a ratio is worse than its spread in apps/bench/baseline.json, the last committed run, allows
  --record ROUNDS  measures so often, and writes that file
  --peers          ours beside other programs that keep conversations, which are installed into .cache/peers on first use
  --svg            writes docs/benchmarks.md and its pictures; with --quick or --only into .cache/bench
  --resume         goes on with a run that was stopped

"sandbox" needs bubblewrap; "container" needs the image of npm run image, and the socket of its engine in DOCKER_HOST.
`;

/** Idle conversations. `rest`: milliseconds within which they have forgotten what they can read again. */
const IDLE = { conversations: 5000, rest: 45_000 };
const IDLE_QUICK = { conversations: 50, rest: 0 };

const { values } = parseArgs({
  options: {
    peers: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    svg: { type: 'boolean', default: false },
    resume: { type: 'boolean', default: false },
    guard: { type: 'boolean', default: false },
    record: { type: 'string', default: '' },
    only: { type: 'string', default: '' },
    before: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) process.stdout.write(USAGE);
else if (values.peers) await comparePeers(values);
else if (values.record !== '') await record(values, Number(values.record));
else await measure(values);

interface Options {
  readonly quick: boolean;
  readonly json: boolean;
  readonly only: string;
  readonly guard: boolean;
  readonly before?: string | undefined;
}

type Step = readonly [name: string, run: () => Promise<readonly Figure[]>];

/** Returns the measurements that are asked for. Throws `RangeError` for none. */
function stepsOf({ quick, only, before }: Options): readonly Step[] {
  const sizes = quick ? [1, 1000] : [1, 10_000, 100_000];
  const many = quick ? { count: 50, pieces: 20, rounds: 1 } : { count: 1000, pieces: 50, rounds: 5 };
  const plan: readonly Step[] = [
    ...sizes.map((size) => [`append-one ${size}`, () => appendOneAtATime(size, quick ? 100 : 1000)] as const),
    ['append-many', () => appendManyInFlight(quick ? 1024 : 8192, quick ? 1 : 9)],
    [
      'append-conversations',
      () => appendInConversations({ conversations: 64, appends: quick ? 8 : 50, rounds: quick ? 1 : 7 }),
    ],
    ['send', () => sendMessages(quick ? 100 : 1000)],
    ['fresh', () => openInNewProcess(quick ? 1000 : 10_000, quick ? 2 : 15)],
    ...(quick ? [1000] : sizes.with(1, 10_000).concat(60_000)).map(
      (size) => [`open ${size}`, () => openAndReadTail(size)] as const,
    ),
    ...(quick ? [1000] : [10_000, 100_000]).map((size) => [`replay ${size}`, () => replay(size)] as const),
    ['past', () => pastStates(quick ? 2_000 : 100_000)],
    ['sqlite', () => appendToSqlite(quick ? 300 : 2000)],
    ['postgres', () => appendToPostgres(quick ? 300 : 2000)],
    ['s3', () => requestsOfS3(quick ? 100 : 1000)],
    ['fork', () => fork(quick ? 1000 : 10_000, quick ? 1 : 5)],
    ...sizes.map((size) => [`step ${size}`, () => stepOverhead(size, quick ? 50 : 300)] as const),
    ['interrupt', () => interrupt(quick ? 3 : 15)],
    ['condense', () => condensedStep(quick ? 150 : 300, quick ? 2 : 5)],
    ['imports', () => imports(quick ? 2 : 25)],
    ['mask', () => masking(quick ? 5 : 21)],
    ['sandbox', () => sandboxedStart(quick ? 10 : 300)],
    ['sandbox tools', () => sandboxedTools(quick ? 10 : 300)],
    ['container', () => containerReady(quick ? 1 : 9)],
    ['analyzer', () => rating(quick ? 10 : 300)],
    ...(quick ? [100, 1000] : [100, 100_000]).map((size) => [`stuck ${size}`, () => stuckCheck(size, 20)] as const),
    ['state-size', () => stateSize(quick ? 1000 : 5000)],
    ...(quick ? [] : [['open-thousand', () => openThousand(1000, 1000)] as const]),
    ['load delivery', () => delivery(quick ? 20 : 50, quick ? 500 : 2000, quick ? 1 : 9)],
    ['load subscribers', () => manySubscribers(1000, quick ? 4 : 10, quick ? 1 : 5)],
    ['load stalled', () => stalledSubscriber(quick ? 1500 : 6000)],
    ['protocols first-token here', () => firstToken('here', quick ? 10 : 200)],
    ['protocols first-token remote', () => firstToken('remote', quick ? 10 : 200)],
    ['protocols first-token served', () => firstToken('served', quick ? 10 : 200)],
    ['protocols first-token fleet', () => firstToken('fleet', quick ? 10 : 200)],
    ['protocols first-token other', () => firstToken('other', quick ? 10 : 200)],
    ['protocols followers here', () => followers('here', many)],
    ['protocols followers served', () => followers('served', many)],
    ['protocols followers other', () => followers('other', many)],
    ['load event', () => socketEvent({ events: quick ? 20 : 300, rounds: quick ? 1 : 5, before })],
    [
      'load running',
      () =>
        runningAtOnce(
          quick
            ? { conversations: 50, calls: 2, rounds: 1, before }
            : { conversations: 200, calls: 20, rounds: 3, before },
        ),
    ],
    ['load idle', () => idleConversations(quick ? IDLE_QUICK : IDLE)],
    ...(['files', 'sqlite', 'postgres'] as const).map(
      (storage) => [`command ${storage}`, () => serverCommand(storage, quick ? 20 : 1000)] as const,
    ),
    ['start server', () => serverStart(quick ? 1 : 15)],
    ['start list', () => listStart(quick ? 300 : 10_000, quick ? 1 : 15)],
    ['list page', () => listPages(quick ? 1000 : 100_000, quick ? 20 : 300)],
    ['fleet requests', () => fleetRequests(quick ? 10 : 300, quick ? 300 : 10_000)],
    ...(quick ? [] : [['fleet steps', () => fleetSteps({ conversations: 200, calls: 20, rounds: 5 })] as const]),
    ...(quick ? [300] : [1000, 100_000]).map(
      (size) => [`fleet takeover ${size}`, () => fleetTakeover(size, quick ? 1 : 7)] as const,
    ),
    ...(quick ? [] : [['fleet idle', () => fleetIdle(1000, 30)] as const]),
    ['fleet storage', () => fleetStorage(quick ? 300 : 10_000)],
    ...(quick ? [3_000] : [100_000, 1_000_000]).map(
      (events) =>
        [
          `studio-frames ${events}`,
          () => studioFrames({ events, frames: quick ? 20 : 300, rounds: quick ? 1 : 5 }),
        ] as const,
    ),
    ['load reconnect', () => reconnect(quick ? 2000 : 60_000, 10)],
  ];
  // CI asks whether they run, and are as fast as before
  const steps = only === '' ? inCi(plan, 3) : plan.filter(([step]) => step.startsWith(only));
  if (steps.length === 0) throw new RangeError(`no measurement starts with ${JSON.stringify(only)}; see --help`);
  return steps;
}

async function measure(options: Options): Promise<void> {
  const { json, guard } = options;
  const recorded = guard ? recordedRatios(RECORDED) : {};
  const figures: Figure[] = [];
  for (const [name, run] of stepsOf(options)) {
    process.stderr.write(`measuring ${name}\n`);
    const measured = await measureGuarded(run, recorded);
    figures.push(...measured);
    if (json) process.stdout.write(`${toJsonLines(measured)}\n`);
  }
  if (!json) {
    const missed = figures.filter((figure) => reaches(figure) === false).length;
    process.stdout.write(`${toTable(figures)}\n${figures.length} figures, ${missed} not reached\n`);
  }
  if (guard) holdTo(recorded, figures);
}

/** Fails the process if a ratio is worse than the last committed run allows, or if no figure is in it. */
function holdTo(recorded: RecordedRatios, figures: readonly Figure[]): void {
  const compared = figures.filter(({ name, ratio }) => ratio !== null && recorded[name]);
  const unknown = figures.filter(({ name, ratio }) => ratio !== null && !recorded[name]);
  const worse = worseOf(figures, recorded);
  for (const { name } of unknown) process.stderr.write(`${name} is not in ${RECORDED}: --record adds it\n`);
  process.stderr.write(`${compared.length} ratios compared with the last committed run, ${worse.length} worse\n`);
  if (worse.length > 0) process.stderr.write(`${toWorseLines(worse)}\n`);
  if (worse.length > 0 || compared.length === 0) process.exitCode = 1;
}

async function record(options: Options, rounds: number): Promise<void> {
  if (!Number.isSafeInteger(rounds) || rounds < 3)
    throw new RangeError(
      'expected at least 3 rounds, because the spread of a figure is what they differ by; see --help',
    );
  const measured: Figure[][] = [];
  for (let round = 1; round <= rounds; round++) {
    const figures: Figure[] = [];
    for (const [name, run] of stepsOf(options)) {
      process.stderr.write(`round ${round} of ${rounds}: measuring ${name}\n`);
      figures.push(...(await run()));
    }
    measured.push(figures);
  }
  writeRecorded(RECORDED, measured);
  process.stdout.write(`written: ${RECORDED}\n`);
}
