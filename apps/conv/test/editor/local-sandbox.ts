import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { text } from 'node:stream/consumers';

import type { HarnessV1NetworkSandboxSession, HarnessV1SandboxProvider } from '@ai-sdk/harness';
import { keptPort } from '@conv/testing-harness';

type Spawned = Awaited<ReturnType<HarnessV1NetworkSandboxSession['spawn']>>;
type SpawnOptions = Parameters<HarnessV1NetworkSandboxSession['spawn']>[0];

/** Returns null for the error of a missing file, and throws any other one. */
const missing = (error: unknown): null => {
  if (Object(error).code === 'ENOENT') return null;
  throw error;
};

/**
 * The smallest sandbox that a harness of the AI SDK takes: a folder of this machine, whose commands run as this user. The folder stays, so that what a
 * harness installs is there the next time.
 * @param programs a folder of programs, before those of this machine
 */
export function localSandbox(folder: string, programs: string): HarnessV1SandboxProvider {
  return {
    specificationVersion: 'harness-sandbox-v1',
    providerId: 'local',
    createSession: async ({ onFirstCreate, abortSignal } = {}) => {
      await mkdir(folder, { recursive: true });
      const session = new LocalSandbox(folder, programs, await keptPort());
      await onFirstCreate?.(session.restricted(), abortSignal ? { abortSignal } : {});
      return session;
    },
  };
}

class LocalSandbox implements HarnessV1NetworkSandboxSession {
  readonly id = 'local';
  readonly description = 'A folder of this machine.';
  readonly defaultWorkingDirectory: string;
  readonly ports: readonly number[];
  readonly #programs: string;
  readonly #running = new Set<ReturnType<typeof spawn>>();

  constructor(folder: string, programs: string, port: number) {
    this.defaultWorkingDirectory = folder;
    this.#programs = programs;
    this.ports = [port];
  }

  readonly restricted = (): this => this;

  readonly getPortUrl: HarnessV1NetworkSandboxSession['getPortUrl'] = async ({ port, protocol = 'http' }) =>
    `${protocol}://127.0.0.1:${port}`;

  readonly getPortEndpoint: HarnessV1NetworkSandboxSession['getPortEndpoint'] = async (options) => ({
    url: await this.getPortUrl(options),
  });

  readonly readBinaryFile: HarnessV1NetworkSandboxSession['readBinaryFile'] = async ({ path }) =>
    readFile(this.#at(path)).then((bytes) => new Uint8Array(bytes), missing);

  readonly readFile: HarnessV1NetworkSandboxSession['readFile'] = async ({ path }) => {
    const bytes = await this.readBinaryFile({ path });
    return bytes && (new Blob([bytes as Uint8Array<ArrayBuffer>]).stream() as ReadableStream<Uint8Array>);
  };

  readonly readTextFile: HarnessV1NetworkSandboxSession['readTextFile'] = async ({ path, startLine = 1, endLine }) => {
    const whole = await readFile(this.#at(path), 'utf8').catch(missing);
    if (whole === null || (startLine === 1 && endLine === undefined)) return whole;
    return whole
      .split('\n')
      .slice(startLine - 1, endLine)
      .join('\n');
  };

  readonly writeFile: HarnessV1NetworkSandboxSession['writeFile'] = async ({ path, content }) => {
    await mkdir(dirname(this.#at(path)), { recursive: true });
    await pipeline(Readable.fromWeb(content as never), createWriteStream(this.#at(path)));
  };

  readonly writeBinaryFile: HarnessV1NetworkSandboxSession['writeBinaryFile'] = async ({ path, content }) => {
    await mkdir(dirname(this.#at(path)), { recursive: true });
    await writeFile(this.#at(path), content);
  };

  readonly writeTextFile: HarnessV1NetworkSandboxSession['writeTextFile'] = async ({ path, content }) =>
    this.writeBinaryFile({ path, content: new TextEncoder().encode(content) });

  readonly spawn: HarnessV1NetworkSandboxSession['spawn'] = async (options) => this.#spawn(options);

  readonly run: HarnessV1NetworkSandboxSession['run'] = async (options) => {
    const child = await this.#spawn(options);
    const [stdout, stderr, { exitCode }] = await Promise.all([
      text(child.stdout as never),
      text(child.stderr as never),
      child.wait(),
    ]);
    return { stdout, stderr, exitCode };
  };

  readonly stop = async (): Promise<void> => {
    for (const child of this.#running) endGroup(child);
  };

  readonly destroy = async (): Promise<void> => this.stop();

  /** Starts a command in a process group of its own, so that it ends with all that it started. */
  async #spawn({ command, workingDirectory = '.', env, abortSignal }: SpawnOptions): Promise<Spawned> {
    const child = spawn('/bin/sh', ['-c', command], {
      cwd: this.#at(workingDirectory),
      env: { ...process.env, ...env, PATH: `${this.#programs}:${process.env['PATH'] ?? ''}` },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    this.#running.add(child);
    const ended = once(child, 'close').then(([code]) => {
      this.#running.delete(child);
      return { exitCode: typeof code === 'number' ? code : 1 };
    });
    abortSignal?.addEventListener('abort', () => endGroup(child), { once: true });
    return {
      stdout: Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
      stderr: Readable.toWeb(child.stderr) as ReadableStream<Uint8Array>,
      wait: () => ended,
      kill: async () => endGroup(child),
    };
  }

  #at(path: string): string {
    return resolve(this.defaultWorkingDirectory, path);
  }
}

function endGroup({ pid, exitCode }: ReturnType<typeof spawn>): void {
  if (pid === undefined || exitCode !== null) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // it has ended
  }
}

/** Writes a program that starts another one. Resolves with the folder of programs. */
export async function programIn(folder: string, name: string, script: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return folder;
}
