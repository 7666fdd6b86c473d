import { once } from 'node:events';

import { peerWith } from './all-peers.ts';
import { measureForks, measureGrowth, measureSteps, measureWriting, prepare, readOnce } from './measure.ts';
import { listOnce, makeListed } from './measure-list.ts';
import { crash, goOn } from './measure-runs.ts';
import { nameOf, textOf, textsOf } from './peer.ts';
import { WRITES, type PeerPlan } from './plan.ts';
import type { Subject } from './subject.ts';
import type { Tell, WorkerNews } from './worker-news.ts';

/** Task for a process of its own: no program that is measured shares memory, compiled code or a crash with another. */
export interface WorkerTask {
  readonly action:
    | 'prepare'
    | 'write'
    | 'growth'
    | 'forks'
    | 'steps'
    | 'read'
    | 'shared'
    | 'writer'
    | 'names'
    | 'make-listed'
    | 'list'
    | 'crash'
    | 'go-on';
  readonly key: string;
  readonly subject: Omit<Subject, 'peer'>;
  readonly plan: PeerPlan;
  /** Name of one of two writers. */
  readonly writer?: string;
}

const tell = (news: WorkerNews): Promise<void> =>
  new Promise((resolve) => void process.send?.(news, undefined, undefined, () => resolve()));

const { action, key, subject: given, plan, writer = '' } = JSON.parse(process.argv[2] ?? '') as WorkerTask;
const subject: Subject = { ...given, peer: peerWith(key) };
const openPeer = await subject.peer.load();
const told: Promise<void>[] = [];
const note: Tell = (news) => void told.push(tell(news));

if (action === 'prepare') await prepare(subject, note);
if (action === 'write') await measureWriting(subject, plan, note);
if (action === 'growth') await measureGrowth(subject, plan, note);
if (action === 'forks') await measureForks(subject, plan, note);
if (action === 'read') await readOnce(subject, note);
if (action === 'steps') await measureSteps(subject, plan, note);
if (action === 'make-listed') await makeListed(subject, plan.listed);
if (action === 'list') note({ listed: await listOnce(subject, plan.listed) });
if (action === 'crash') await crash(subject);
if (action === 'go-on') await goOn(subject);
if (action === 'shared') await makeShared();
if (action === 'writer') await write();
if (action === 'names') await readNames();
await Promise.all(told);
process.exit(0);

async function makeShared(): Promise<void> {
  const store = await openPeer(subject.place);
  await store.fill(subject.id, textsOf(1));
  await store.close();
}

/** Appends at the same time as another process that does the same, and counts what the program said of each message. */
async function write(): Promise<void> {
  const acknowledged: string[] = [];
  let refused = 0;
  const store = await openPeer(subject.place);
  await tell({ isReady: true });
  await once(process, 'message');
  const thread = await store.open(subject.id).catch(() => undefined);
  for (let number = 0; number < WRITES; number++) {
    const name = `${writer}-${number}`;
    const isStored = await thread?.append(textOf(name)).then(
      () => true,
      () => false,
    );
    if (isStored) acknowledged.push(name);
    else refused++;
  }
  await thread?.close();
  await store.close();
  await tell({ written: { acknowledged, refused } });
}

async function readNames(): Promise<void> {
  const store = await openPeer(subject.place);
  const thread = await store.open(subject.id);
  const names = (await thread.all()).map(nameOf);
  await thread.close();
  await store.close();
  await tell({ names });
}
