import { totalmem } from 'node:os';

import { checkOptionNames, checks, type OptionNames } from '@conv/core';

/**
 * Limits of a program inside, together with everything that it starts. The program that goes beyond one is ended, and all of these with
 * it. Each is a number above 0; `Infinity`: no limit.
 */
export interface SandboxLimits {
  /** Bytes of memory, without what is only read from files. Default: three quarters of the memory that this process may use. */
  readonly memory?: number;
  /** Processes and their threads. Default 2048. */
  readonly processes?: number;
  /** Seconds of processor time, of all processors together. Default: no limit. */
  readonly cpu?: number;
  /** Seconds from the start. A shell of the terminal is one program, whatever number of commands it runs. Default: no limit. */
  readonly time?: number;
  /**
   * Bytes by which the space on a disk where it writes may shrink while it runs, also by what others write there. Default: all but 256 MiB,
   * or but half of what is free if that is less. This much is left free whatever the number is, unless it is `Infinity`.
   */
  readonly disk?: number;
}

/** The name of a limit. */
export type LimitName = keyof SandboxLimits;

/** Limits of which each has a number. */
export type Limits = Readonly<Record<LimitName, number>>;

/** A limit that a program went beyond. */
export interface LimitReached {
  /** The conversation whose program was ended. */
  readonly conversationId: string;
  /** The process that was started, as this process knows it. */
  readonly pid: number;
  readonly limit: LimitName;
  /** The use that was found, in the unit of the limit. */
  readonly used: number;
  readonly allowed: number;
}

const NAMES: OptionNames<SandboxLimits> = { memory: true, processes: true, cpu: true, time: true, disk: true };

const PROCESSES = 2048;
const SHARE_OF_MEMORY = 0.75;
/** Bytes of a disk that stay free. */
const LEFT_FREE = 256 * 2 ** 20;
/** More than any disk has. */
const ALL = Number.MAX_SAFE_INTEGER;

/** Returns the limits with their defaults. Throws `TypeError` for a limit that is not a number above 0. */
export function limitsOf(given: SandboxLimits = {}): Limits {
  checkOptionNames('sandbox: limits', given, NAMES);
  for (const [name, value] of Object.entries(given) as readonly [string, unknown][])
    if (value !== undefined && !(typeof value === 'number' && value > 0))
      throw new TypeError(checks.wrongValue(`sandbox: limits: ${name}`, 'a number above 0', value));
  const { memory = defaultMemory(), processes = PROCESSES, cpu = Infinity, time = Infinity, disk = ALL } = given;
  return { memory, processes, cpu, time, disk };
}

/** Returns the bytes by which the space on a disk may shrink. */
export function allowedOf(disk: number, free: number): number {
  return Math.min(disk, free - Math.min(LEFT_FREE, free / 2));
}

/** Returns the limits in a sentence for the model, after a space; an empty text if there are none. */
export function limitsInWords(limits: Limits): string {
  const named = (Object.keys(limits) as LimitName[]).filter((name) => limits[name] < ALL);
  if (named.length === 0) return '';
  const most = named.map((name) => amountOf(name, limits[name])).join(', ');
  return ` A shell, with all its commands, or another program is ended when it uses more than any of these: ${most}.`;
}

/** Returns why a program was ended, and what to do, in words for the model. They are no whole sentence. */
export function endInWords({ limit, used, allowed }: Pick<LimitReached, 'limit' | 'used' | 'allowed'>): string {
  return (
    `the sandbox ended it and all that it had started: expected at most ${amountOf(limit, allowed)}, ` +
    `found ${amountOf(limit, used)}; ${ADVICE[limit]}`
  );
}

const ADVICE: Readonly<Record<LimitName, string>> = {
  memory: 'work on less at a time, or with fewer workers',
  processes: 'start fewer at a time, and wait for their end',
  cpu: 'do the work in smaller parts',
  time: 'do the work in smaller parts',
  disk: 'remove files that are not needed, and write less',
};

function amountOf(limit: LimitName, amount: number): string {
  switch (limit) {
    case 'memory':
      return `${bytesInWords(amount)} of memory`;
    case 'processes':
      return `${amount} processes and threads`;
    case 'cpu':
      return `${rounded(amount)} s of processor time`;
    case 'time':
      return `${rounded(amount)} s`;
    case 'disk':
      return `${bytesInWords(amount)} less space on the disk`;
  }
}

function bytesInWords(bytes: number): string {
  const mebi = bytes / 2 ** 20;
  return mebi < 1024 ? `${rounded(mebi)} MiB` : `${rounded(mebi / 1024)} GiB`;
}

function rounded(value: number): string {
  return String(Number(value.toFixed(1)));
}

function defaultMemory(): number {
  // 0 or more than the machine has where nothing constrains this process
  const constrained = process.constrainedMemory();
  return Math.floor(SHARE_OF_MEMORY * (constrained > 0 ? Math.min(constrained, totalmem()) : totalmem()));
}
