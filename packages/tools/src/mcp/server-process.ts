import { spawn, type ChildProcess } from 'node:child_process';
import { StringDecoder } from 'node:string_decoder';

import { errorText, type MaskStream } from '@conv/core';
import { timers, type Platform } from '@conv/core/platform';
import type { Confinement } from '@conv/core/tool';
import {
  deserializeMessage,
  serializeMessage,
  type JSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/client';

import { Watchdog } from '../terminal/watchdog.ts';
import { LineSplitter } from './line-splitter.ts';
import { ServerFault } from './server-fault.ts';
import type { ProcessSettings } from './server-settings.ts';

/** Maximum bytes of a message; a larger message ends the server. */
const LARGEST_MESSAGE = 64 * 1024 * 1024;
const KEPT_STDERR = 4096;
/** Milliseconds within which a server may end by itself, and again after SIGTERM. */
const TIMEOUT = 1000;

// variables by which programs find files, other programs and their locale; none of them is a key
const INHERITED = ['HOME', 'LANG', 'LC_ALL', 'LC_CTYPE', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'TMPDIR', 'TZ', 'USER'];

/** The life of a process. `ending`: it takes no more calls, though its earlier output may still arrive. */
type Life =
  | { readonly kind: 'prepared' }
  | { readonly kind: 'running'; readonly child: ChildProcess }
  | { readonly kind: 'ending' | 'finished'; readonly child: ChildProcess; readonly why: string };

const running = new Set<ServerProcess>();

export interface ProcessSurroundings {
  readonly mask?: MaskStream | undefined;
  /** Confines the process. When the process ends, so do all that it started. */
  readonly confinement?: Confinement | undefined;
}

/**
 * A server in a process that this process starts, with messages on its standard input and output. It has its own
 * session and process group. The group ends at {@link ServerProcess.close}, when the server's process ends, and when
 * this process ends, in whatever way.
 */
export class ServerProcess implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  readonly #platform: Platform;
  readonly #settings: ProcessSettings;
  readonly #mask: MaskStream | undefined;
  readonly #confinement: Confinement | undefined;
  readonly #decoder: StringDecoder = new StringDecoder('utf8');
  readonly #lines: LineSplitter = new LineSplitter(LARGEST_MESSAGE);
  #life: Life = { kind: 'prepared' };
  #watchdog: Watchdog | undefined;
  #ended: Promise<void> = Promise.resolve();
  #stderr = '';
  #handing: Promise<void> = Promise.resolve();

  /** Prepares the process. With a mask its standard error is masked before any part of it is dropped. */
  constructor(platform: Platform, settings: ProcessSettings, { mask, confinement }: ProcessSurroundings = {}) {
    this.#platform = platform;
    this.#settings = settings;
    this.#mask = mask;
    this.#confinement = confinement;
  }

  /** The last lines of its standard error. They may contain values of the configuration. */
  get lastWords(): string {
    return this.#stderr;
  }

  /** The end of the process, in words; `undefined` while it runs. */
  get end(): string | undefined {
    return 'why' in this.#life ? this.#life.why : undefined;
  }

  start(): Promise<void> {
    const plain = { ...this.#settings, env: { ...inherited(), ...this.#settings.env } };
    const { command, args, env, cwd } = this.#confinement?.confine(plain) ?? plain;
    const child = spawn(command, [...args], {
      cwd,
      env: { ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
    });
    this.#life = { kind: 'running', child };
    this.#listen(child);
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('spawn', () => {
        running.add(this);
        if (running.size === 1) process.once('exit', killAll);
        this.#watchdog = new Watchdog();
        if (child.pid !== undefined) this.#watchdog.watch(child.pid);
        resolve();
      });
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const input = this.#life.kind === 'prepared' ? undefined : this.#life.child.stdin;
    if (!input?.writable) throw new ServerFault('refused', this.end ?? 'its process does not run');
    const text = serializeMessage(message);
    await new Promise<void>((resolve, reject) => {
      input.write(text, (error) => (error ? reject(error) : resolve()));
    });
  }

  /**
   * Closes its input, sends SIGTERM after a second, and SIGKILL after another. Resolves when its process group is gone.
   */
  async close(): Promise<void> {
    if (this.#life.kind !== 'running' || !this.#life.child.pid) return this.#ended;
    this.#life.child.stdin?.end();
    if (await timers.settlesWithin(this.#platform, TIMEOUT, this.#ended)) return;
    this.#signal('SIGTERM');
    if (await timers.settlesWithin(this.#platform, TIMEOUT, this.#ended)) return;
    this.kill();
    await this.#ended;
  }

  /** Kills the process and all processes that it started, at once. */
  kill(): void {
    this.#signal('SIGKILL');
  }

  #listen(child: ChildProcess): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#ended = promise;
    child.stdout?.on('data', (chunk: Buffer) => this.#read(chunk));
    child.stderr?.on('data', (chunk: Buffer) => this.#hear(this.#decoder.write(chunk)));
    for (const stream of [child.stdin, child.stdout, child.stderr])
      stream?.on('error', (error: Error) => this.onerror?.(error));
    child.once('error', (error: NodeJS.ErrnoException) => {
      this.#endBy(() => `its process could not be started (${error.code ?? error.message})`);
      this.#finish(resolve);
    });
    child.once('exit', (code, signal) => {
      // the process takes no more calls, though its earlier output may still arrive
      this.#endBy(
        () =>
          this.#confinement?.endOf?.(child.pid ?? 0) ??
          (signal ? `its process was ended by ${signal}` : `its process ended with code ${String(code)}`),
      );
      // processes that it started hold its pipes open, and end with it
      this.#signal('SIGKILL');
      const left = this.#platform.setTimer(TIMEOUT, () => this.#finish(resolve));
      child.once('close', () => {
        left.cancel();
        this.#finish(resolve);
      });
    });
  }

  #hear(text: string): void {
    const heard = this.#stderr + (this.#mask?.write(text) ?? text);
    // start at a whole line, because the rest of a value without its start would not be recognised
    this.#stderr =
      heard.length <= KEPT_STDERR
        ? heard
        : heard.slice(heard.indexOf('\n', heard.length - KEPT_STDERR) + 1 || Infinity);
  }

  /** Notes why the process ends. The first reason counts. */
  #endBy(why: () => string): void {
    if (this.#life.kind === 'running') this.#life = { kind: 'ending', child: this.#life.child, why: why() };
  }

  #finish(ended: () => void): void {
    if (this.#life.kind !== 'ending') return;
    const { child } = this.#life;
    this.#life = { ...this.#life, kind: 'finished' };
    running.delete(this);
    if (running.size === 0) process.off('exit', killAll);
    this.#watchdog?.dismiss();
    // a process that could not be started for want of descriptors has no streams
    for (const stream of (child.stdio as ChildProcess['stdio'] | undefined) ?? []) stream?.destroy();
    this.#stderr += this.#mask?.end() ?? '';
    ended();
    this.onclose?.();
  }

  #read(chunk: Buffer): void {
    const lines = this.#lines.add(chunk);
    if (!lines) {
      this.#endBy(() => `it sent a message of more than ${LARGEST_MESSAGE / 1024 / 1024} MiB`);
      this.kill();
      return;
    }
    for (const line of lines) {
      let message: JSONRPCMessage;
      try {
        message = deserializeMessage(line);
      } catch {
        // servers print other text there too
        continue;
      }
      this.#hand(message);
    }
  }

  /** Hands messages on one after another: the client acts on a report a moment after it came, and drops it behind the result. */
  #hand(message: JSONRPCMessage): void {
    this.#handing = this.#handing
      .then(() => this.onmessage?.(message))
      // a message that cannot be handed on does not keep the next ones
      .catch((error: unknown) => this.onerror?.(error instanceof Error ? error : new Error(errorText(error))))
      .then(pause);
  }

  #signal(signal: NodeJS.Signals): void {
    // after the end the system may give the number to another process
    if (this.#life.kind === 'prepared' || this.#life.kind === 'finished') return;
    const { pid } = this.#life.child;
    if (pid === undefined) return;
    try {
      process.kill(-pid, signal);
    } catch {
      // the group is gone
    }
  }
}

/** Takes longer than the client's own turns, and is over before the next output of the process is read. */
async function pause(): Promise<void> {
  for (let turn = 0; turn < 8; turn += 1) await Promise.resolve();
}

function killAll(): void {
  for (const server of running) server.kill();
}

function inherited(): Readonly<Record<string, string>> {
  const environment: Record<string, string> = {};
  for (const name of INHERITED) {
    const value = process.env[name];
    if (value !== undefined) environment[name] = value;
  }
  return environment;
}
