import { readdirSync, readFileSync, readlinkSync, statfsSync } from 'node:fs';

import { isTransient } from './transient.ts';

// All functions of this file throw a transient error when this machine cannot tell now.

const TICKS_PER_SECOND = 100;
const KIBI = 1024;

/** The use of a program and of all that it started. Bubblewrap's first process inside counts too. */
export interface Use {
  /** The folders in which the kernel describes each process. */
  readonly folders: readonly string[];
  /** Processes and threads. */
  readonly processes: number;
  /** Bytes of memory that belong to no file. Memory that processes share counts for each of them. */
  readonly memory: number;
  /** Seconds of processor time, also of processes that have ended. */
  readonly cpu: number;
}

/**
 * Returns the use of all processes inside, of which `first` is the first; `undefined` if it has ended. They are listed by the `/proc` that is mounted
 * inside, which has those of namespaces in it too, and no others. Beyond `most` processes neither memory nor time is added up, because a program that starts
 * processes without end leaves little time for that.
 */
export function useOf(first: number, most: number): Use | undefined {
  const inside = `/proc/${first}/root/proc`;
  const folders = list(inside)
    .filter((name) => /^\d/.test(name))
    .map((name) => `${inside}/${name}`);
  if (folders.length === 0) return undefined;
  if (folders.length > most) return { folders, processes: folders.length, memory: 0, cpu: 0 };
  let [processes, memory, ticks] = [0, 0, 0];
  for (const folder of folders) {
    const stat = statOf(folder);
    const status = read(`${folder}/status`);
    if (stat === undefined || status === undefined) continue;
    processes += stat.threads;
    ticks += stat.ticks;
    memory += kibiOf(status, 'RssAnon') + kibiOf(status, 'RssShmem');
  }
  return { folders, processes, memory: memory * KIBI, cpu: ticks / TICKS_PER_SECOND };
}

/**
 * Returns the first process inside that bubblewrap has started; `undefined` before it sees the `/proc` of its own processes. Until then it sees that
 * of this machine, whose processes must not be taken for its own.
 */
export function firstInside(bubblewrap: number): number | undefined {
  const [first] = childrenOf(bubblewrap);
  if (first === undefined) return undefined;
  const namespace = linkOf(`/proc/${first}/ns/pid`);
  const isOwn = namespace !== undefined && namespace !== linkOf(`/proc/${bubblewrap}/ns/pid`);
  return isOwn && linkOf(`/proc/${first}/root/proc/1/ns/pid`) === namespace ? first : undefined;
}

/** Returns the bytes of memory that processes use together. Memory that they share counts once. It takes milliseconds for large processes. */
export function exactMemory({ folders }: Pick<Use, 'folders'>, devices: number): number {
  let [own, shared] = [0, 0];
  for (const folder of folders) {
    const rollup = read(`${folder}/smaps_rollup`) ?? '';
    const isShown = rollup.includes('\nPss_Anon:');
    // a process can keep that file, but not its status, from others
    const text = isShown ? rollup : (read(`${folder}/status`) ?? '');
    own += kibiOf(text, isShown ? 'Pss_Anon' : 'RssAnon');
    shared += kibiOf(text, isShown ? 'Pss_Shmem' : 'RssShmem');
  }
  // files in /dev/shm that a process has mapped would count twice
  return own * KIBI + Math.max(shared * KIBI, devices);
}

/** Returns the processes that a process has started and that live or have not been waited for. */
export function childrenOf(pid: number): readonly number[] {
  return list(`/proc/${pid}/task`).flatMap((task) => numbersIn(read(`/proc/${pid}/task/${task}/children`) ?? ''));
}

/** Returns a process and all that it has started, and what these have started. */
export function withDescendants(pid: number): readonly number[] {
  return [pid, ...childrenOf(pid).flatMap(withDescendants)];
}

/** Returns the arguments with which a process was started; none if it has ended. */
export function argumentsOf(pid: number): readonly string[] {
  return (read(`/proc/${pid}/cmdline`) ?? '').split('\0');
}

/** Returns when a process was started, in ticks of the machine; `undefined` if it has ended. Processes that have one number after another differ in it. */
export function startOf(pid: number): number | undefined {
  const stat = statOf(`/proc/${pid}`);
  return stat?.state === 'Z' ? undefined : stat?.started;
}

/** Returns the bytes of files in the `/dev` of a process, which is memory. `/dev/shm` lies in it. */
export function memoryOfDevices(pid: number): number {
  try {
    const { blocks, bfree, bsize } = statfsSync(`/proc/${pid}/root/dev`);
    return (blocks - bfree) * bsize;
  } catch (error) {
    if (isTransient(error)) throw error;
    return 0;
  }
}

interface Stat {
  readonly state: string;
  /** Ticks of processor time, also of children that were waited for. */
  readonly ticks: number;
  readonly threads: number;
  readonly started: number;
}

function statOf(folder: string): Stat | undefined {
  const stat = read(`${folder}/stat`);
  if (stat === undefined) return undefined;
  // the name in parentheses may hold anything; https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const at = (index: number): number => Number(fields[index]);
  return { state: fields[0] ?? '', ticks: at(11) + at(12) + at(13) + at(14), threads: at(17), started: at(19) };
}

function kibiOf(text: string, name: string): number {
  const at = text.indexOf(`\n${name}:`);
  return at === -1 ? 0 : Number.parseInt(text.slice(at + name.length + 2, at + name.length + 32), 10);
}

function numbersIn(text: string): readonly number[] {
  return text.split(' ').filter(Boolean).map(Number);
}

function linkOf(path: string): string | undefined {
  return ofProcess(() => readlinkSync(path));
}

function list(folder: string): readonly string[] {
  return ofProcess(() => readdirSync(folder)) ?? [];
}

function read(file: string): string | undefined {
  return ofProcess(() => readFileSync(file, 'utf8'));
}

/** Returns the facts that `/proc` has of a process; `undefined` if the process has ended. */
function ofProcess<Told>(ask: () => Told): Told | undefined {
  try {
    return ask();
  } catch (error) {
    if (isTransient(error)) throw error;
    return undefined;
  }
}
