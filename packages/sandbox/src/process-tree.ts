import { readdirSync, readFileSync, statfsSync } from 'node:fs';

const TICKS_PER_SECOND = 100;
const KIBI = 1024;

/** The use of a process and of all that it started. Bubblewrap's own two processes count too. */
export interface TreeUse {
  /** The start of the first process, in ticks of the machine. Two processes that have one number after another differ in it. */
  readonly started: number;
  readonly pids: readonly number[];
  /** Processes and threads. When they exceed the number that was asked for, the rest of the tree is not counted. */
  readonly processes: number;
  /** Bytes of memory that belong to no file. What processes share counts for each of them. */
  readonly memory: number;
  /** Seconds of processor time, also of processes that have ended. */
  readonly cpu: number;
}

/** Returns the use of a process and its descendants; `undefined` if it has ended. `most`: the number of threads at which counting ends. */
export function useOf(root: number, most: number): TreeUse | undefined {
  const pids = [root];
  let [started, processes, memory, ticks] = [0, 0, 0, 0];
  // the list grows while it is read
  for (const pid of pids) {
    const stat = statOf(pid);
    const status = read(`/proc/${pid}/status`);
    if (stat === undefined || stat.state === 'Z' || status === undefined) {
      if (pid === root) return undefined;
      continue;
    }
    if (pid === root) started = stat.started;
    processes += stat.threads;
    ticks += stat.ticks;
    memory += kibiOf(status, 'RssAnon') + kibiOf(status, 'RssShmem');
    if (processes > most) break;
    pids.push(...childrenOf(pid, stat.threads));
  }
  return { started, pids, processes, memory: memory * KIBI, cpu: ticks / TICKS_PER_SECOND };
}

/** Returns the bytes of memory that processes use together. What they share counts once. It takes milliseconds for large processes. */
export function exactMemory(pids: readonly number[], devices: number): number {
  let [own, shared] = [0, 0];
  for (const pid of pids) {
    const rollup = read(`/proc/${pid}/smaps_rollup`) ?? '';
    const isShown = rollup.includes('\nPss_Anon:');
    // a process can keep that file, but not its status, from others
    const text = isShown ? rollup : (read(`/proc/${pid}/status`) ?? '');
    own += kibiOf(text, isShown ? 'Pss_Anon' : 'RssAnon');
    shared += kibiOf(text, isShown ? 'Pss_Shmem' : 'RssShmem');
  }
  // files in /dev/shm that a process has mapped would count twice
  return own * KIBI + Math.max(shared * KIBI, devices);
}

/** Returns the processes that a process has started and that live or have not been waited for. */
export function childrenOf(pid: number, threads = 2): readonly number[] {
  const tasks = threads === 1 ? [String(pid)] : list(`/proc/${pid}/task`);
  return tasks.flatMap((task) => numbersIn(read(`/proc/${pid}/task/${task}/children`) ?? ''));
}

/** True if this machine tells which processes a process has started. */
export function tellsChildren(): boolean {
  return read(`/proc/${process.pid}/task/${process.pid}/children`) !== undefined;
}

/** Returns the arguments with which a process was started; none if it has ended. */
export function argumentsOf(pid: number): readonly string[] {
  return (read(`/proc/${pid}/cmdline`) ?? '').split('\0');
}

/** Returns the bytes of files in the `/dev` of a process, which is memory. `/dev/shm` lies in it. */
export function memoryOfDevices(pid: number): number {
  try {
    const { blocks, bfree, bsize } = statfsSync(`/proc/${pid}/root/dev`);
    return (blocks - bfree) * bsize;
  } catch {
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

function statOf(pid: number): Stat | undefined {
  const stat = read(`/proc/${pid}/stat`);
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

function list(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return undefined;
  }
}
