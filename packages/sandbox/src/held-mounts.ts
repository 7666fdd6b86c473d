import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readlinkSync, statSync } from 'node:fs';
import { promisify } from 'node:util';

import type { Platform } from '@conv/core/platform';
import type { ProgramStart } from '@conv/core/tool';
import { MountTable } from '@conv/store-kit/system';

import { enteredStart, heldStart, isInstalled, type EnteringOptions } from './bubblewrap.ts';
import type { FileIdentity } from './file-identities.ts';
import type { Bubblewrap } from './launched.ts';
import type { Mounts } from './mounts.ts';
import { childrenOf } from './process-tree.ts';
import { systemProgram } from './system-program.ts';
import type { Watcher } from './watcher.ts';

/** Milliseconds in which mounts must be there, and in which a program must enter them. */
const LONGEST = 60_000;

/** Failures in a row after which mounts are not made any more. */
const TRIES = 3;

/** Variables of a program that does nothing. */
const PLAIN = { PATH: '/usr/bin:/bin' };

/** The mounts of a program, and the files and folders that must be at some of their paths. */
export interface Wanted {
  readonly mounts: Mounts;
  readonly files: readonly FileIdentity[];
}

/** Mounts that are there, and the process that holds them. */
interface Held {
  readonly holder: ChildProcess;
  /** The process in the mounts, a child of the holder. */
  readonly pid: number;
  /** The name of their namespace, by which the process is known from a later one of its number. */
  readonly namespace: string;
  /** The kernel's list of them, as they were checked. */
  readonly list: string;
  /** {@link keyOf} what was wanted. */
  readonly key: string;
}

interface HeldMountsDeps {
  readonly bubblewrap: Bubblewrap;
  readonly watcher: Watcher;
  readonly platform: Platform;
  /** Returns a start in the network of the conversation's own, if it has one. */
  readonly enter: (start: ProgramStart) => ProgramStart;
}

/**
 * Makes the mounts of a conversation, which an idle process holds. Each program enters them and only makes namespaces of its own, because
 * making mounts is most of the cost of a start. Mounts lie upon the files that programs must not see. That hides the files, because in a user namespace of its
 * own no process can take a single mount away.
 *
 * At each start this process looks from outside that the mounts are the ones it has made and checked, that the program wants the same,
 * and that the same files are behind their paths. Otherwise the program makes its own mounts, and these are made anew for later programs.
 */
export class HeldMounts {
  readonly #deps: HeldMountsDeps;
  /** Enters mounts; `undefined` if programs make their own. */
  readonly #enterer: string | undefined;
  #held: Held | undefined;
  #making: Promise<void> | undefined;
  #failures = 0;
  #isClosed = false;

  constructor(deps: HeldMountsDeps) {
    this.#deps = deps;
    // a bubblewrap in the home is looked for in the mounts, where a program may give the folder of it another name, and put another one there
    this.#enterer = isInstalled(deps.bubblewrap.program) ? systemProgram('nsenter') : undefined;
  }

  /** Makes the mounts. Resolves with true if a program has entered them; with false if this machine does not allow it, and then never tries again. */
  async open(wanted: Wanted, cwd: string): Promise<boolean> {
    await this.#make(wanted);
    const pid = this.holderOf(wanted);
    if (pid !== undefined && (await this.#isEntered(pid, cwd))) return true;
    this.#failures = TRIES;
    this.#drop();
    return false;
  }

  /** Returns the process whose mounts a program can enter; `undefined` if it must make its own. Makes them anew if another program could enter those. */
  holderOf(wanted: Wanted): number | undefined {
    if (this.#enterer === undefined || this.#failures >= TRIES) return undefined;
    if (this.#held?.key === keyOf(wanted) && isUnchanged(this.#held)) return this.#held.pid;
    this.#making ??= this.#make(wanted).finally(() => (this.#making = undefined));
    return undefined;
  }

  /** Returns the start of a program in the mounts of a process. */
  enter(start: ProgramStart, pid: number, options: EnteringOptions): ProgramStart {
    const entering = ['--preserve-credentials', '--target', String(pid), '--user', '--mount', '--'];
    return enteredStart(this.#deps.bubblewrap, [this.#enterer ?? 'nsenter', ...entering], start, options);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const holder = this.#held?.holder;
    const ended = holder && holder.exitCode === null && holder.signalCode === null ? once(holder, 'exit') : undefined;
    // this process waits for it now
    holder?.ref();
    this.#drop();
    await Promise.all([ended, this.#making]);
  }

  /** Never rejects. */
  async #make(wanted: Wanted): Promise<void> {
    // without such words the list does not say what is mounted
    if (this.#enterer === undefined || !wanted.files.every(({ listed }) => listed !== undefined)) return;
    try {
      const made = await this.#madeFrom(wanted);
      this.#failures = 0;
      this.#drop();
      if (this.#isClosed) made.holder.kill('SIGKILL');
      else this.#held = made;
    } catch {
      // programs make their own mounts, and say what is wrong
      this.#failures += 1;
    }
  }

  async #madeFrom(wanted: Wanted): Promise<Held> {
    const key = keyOf(wanted);
    const { command, args, cwd, env } = this.#deps.enter(heldStart(this.#deps.bubblewrap, wanted.mounts, PLAIN));
    const holder = spawn(command, args, { cwd, env: { ...env }, stdio: ['pipe', 'pipe', 'ignore'] });
    const expired = this.#deps.platform.setTimer(LONGEST, () => holder.kill('SIGKILL'), { background: true });
    try {
      holder.stdin.once('error', () => undefined);
      // it has begun when it repeats this, and lives as long as more may come
      holder.stdin.write('begun');
      const ended = once(holder, 'close').catch(() => []);
      const [said]: unknown[] = await Promise.race([once(holder.stdout, 'data'), ended]);
      const [pid] = childrenOf(Number(holder.pid));
      const list = pid === undefined ? undefined : listOf(pid);
      if (!Buffer.isBuffer(said) || pid === undefined || list === undefined || !areIn(list, wanted.files))
        throw new Error('expected a process in the mounts that were wanted, found none');
      this.#letGo(holder);
      return { holder, pid, namespace: namespaceOf(pid), list, key };
    } catch (error) {
      holder.kill('SIGKILL');
      throw error;
    } finally {
      expired.cancel();
    }
  }

  /** Lets this process end without the holder, which then ends too, and lets the watcher pass over it. */
  #letGo(holder: ChildProcess): void {
    holder.unref();
    for (const stream of [holder.stdin, holder.stdout] as unknown as { unref(): void }[]) stream.unref();
    const pid = Number(holder.pid);
    this.#deps.watcher.others.add(pid);
    holder.once('exit', () => this.#deps.watcher.others.delete(pid));
  }

  #drop(): void {
    // programs in the mounts keep them
    this.#held?.holder.kill('SIGKILL');
    this.#held = undefined;
  }

  async #isEntered(pid: number, cwd: string): Promise<boolean> {
    const nothing = { command: 'true', args: [], cwd, env: PLAIN };
    const options = { sharesNetwork: true, word: 'conv-check', most: undefined };
    const { command, args, env } = this.#deps.enter(this.enter(nothing, pid, options));
    return promisify(execFile)(command, [...args], { env: { ...env }, timeout: LONGEST }).then(
      () => true,
      () => false,
    );
  }
}

/** Returns a text that is the same for two wishes if the same mounts fulfil both: the same files and folders are at the same paths. */
function keyOf({ mounts, files }: Wanted): string {
  const wanted = mounts.inOrder().map((mount) => {
    const isFile = mount.kind === 'read' || mount.kind === 'write';
    return { ...mount, is: isFile ? identityOf(mount.source) : undefined };
  });
  return JSON.stringify([wanted, files]);
}

function identityOf(path: string): string | undefined {
  const about = statSync(path, { throwIfNoEntry: false, bigint: true });
  return about && `${about.dev}:${about.ino}`;
}

/** True if the list has one mount at the path of each file, which leads to this file. */
function areIn(list: string, files: readonly FileIdentity[]): boolean {
  const table = new MountTable(list);
  return files.every(({ path, listed }) => {
    const at = table.at(path);
    return at.length === 1 && at[0] === listed;
  });
}

/**
 * True if the holder lives with all of its mounts. The kernel takes a mount away when a process that does not see it replaces the file or
 * folder on which it is.
 */
function isUnchanged({ holder, pid, namespace, list }: Held): boolean {
  if (holder.exitCode !== null || holder.signalCode !== null) return false;
  try {
    return namespaceOf(pid) === namespace && listOf(pid) === list;
  } catch {
    // it has ended, or this process can open no file now
    return false;
  }
}

function namespaceOf(pid: number): string {
  return readlinkSync(`/proc/${pid}/ns/mnt`);
}

function listOf(pid: number): string {
  return readFileSync(`/proc/${pid}/mountinfo`, 'utf8');
}
