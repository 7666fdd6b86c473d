import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { dirname, extname, join } from 'node:path';
import { createInterface } from 'node:readline';

import type { Confinement, ProgramStart, Sandbox } from '@conv/core/tool';

import type { Contained } from './contained.ts';

const VICTIM = join(import.meta.dirname, `victim${extname(import.meta.filename)}`);
/** Milliseconds that a command of an attempt may take. */
const LONGEST = 30_000;

/** The files of a world, by their names under its folder. */
const FILES = {
  'home/.ssh/id_ed25519': 'key',
  'home/.aws/credentials': 'key',
  'home/.netrc': 'key',
  'home/.config/gh/hosts.yml': 'key',
  'home/.bashrc': 'text',
  'home/.profile': 'text',
  'home/.ssh/authorized_keys': 'text',
  'home/.config/git/config': 'text',
  'home/bin/tool': 'text',
  'home/dotfiles/.git/config': 'key',
  'home/dotfiles/.git/hooks/pre-push': 'text',
  'settings/secret.key': 'key',
  'settings/settings.json': 'text',
  'store/one/base_state.json': 'text',
  'store/other/events/event-00000.json': 'key',
  'other-workspace/.env': 'key',
  'other-workspace/main.js': 'text',
} as const;

/** A file of a world. `key`: attempts must not read it; `text`: they must not change it. */
export type WorldFile = keyof typeof FILES;

/** A machine in small: a user's home, a store, another workspace and a server, around the workspace of an agent. */
export class World {
  readonly folder: string;
  readonly workspace: string;
  /** A file of another program in the folder of temporary files. */
  readonly shared: string = join(tmpdir(), `conv-escape-${randomUUID()}`);
  /** The text in every key, which shows in output when an attempt has read one. */
  readonly key: string = `KEY-${randomUUID()}`;
  /** The sandbox of the agent's programs and tools; `undefined` without one. */
  readonly sandbox: Sandbox | undefined;
  readonly #contained: Contained | undefined;
  readonly #id = randomUUID();
  readonly #environment = { ...process.env };
  #server: ChildProcess | undefined;
  #confinement: Confinement | undefined;
  #ports: readonly [number, number] = [0, 0];
  #asked = 0;

  private constructor(sandbox: Sandbox | undefined, contained: Contained | undefined) {
    this.sandbox = sandbox;
    this.#contained = contained;
    // not in the folder of temporary files, which a sandbox replaces as a whole
    this.folder = realpathSync(mkdtempSync(join(worldsFolder(), 'conv-escape-')));
    this.workspace = contained?.folder ?? join(this.folder, 'workspace');
  }

  /** Resolves with a world whose agent starts programs in this sandbox, in this container, or in none. */
  static async open(sandbox: Sandbox | undefined, contained?: Contained): Promise<World> {
    const world = new World(sandbox, contained);
    try {
      world.#makeFiles();
      await world.#startServer();
      world.#confinement = await sandbox?.open(world.session);
      return world;
    } catch (error) {
      await world.close();
      throw error;
    }
  }

  path(file: WorldFile | 'docker.sock' | 'bin'): string {
    return join(this.folder, file);
  }

  /** The conversation of the agent. */
  get session(): { readonly conversationId: string; readonly workingDirectory: string } {
    return { conversationId: this.#id, workingDirectory: this.workspace };
  }

  get pid(): number {
    return this.#server?.pid ?? 0;
  }

  /** The port of its service, and that of its name server. */
  get ports(): { readonly service: number; readonly names: number } {
    return { service: this.#ports[0], names: this.#ports[1] };
  }

  /** An address of this machine that is not the loopback's; the loopback's if there is no other. */
  get address(): string {
    const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
    return all.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.1';
  }

  /** True if the name server was asked. */
  get wasAsked(): boolean {
    return this.#asked > 0;
  }

  /** True while the server lives. */
  get isServing(): boolean {
    return this.#server?.exitCode === null && this.#server.signalCode === null;
  }

  /**
   * Resolves with the output of a command of the agent, however it ends. `meanwhile`: what happens between the look of the sandbox at the
   * workspace and the start.
   */
  async run(command: string, meanwhile?: () => Promise<unknown>): Promise<string> {
    if (this.#contained) return this.#contained.run(command);
    const start = this.startOf(command);
    await meanwhile?.();
    return this.play(start);
  }

  /** Returns the start of a command of the agent, in its sandbox if it has one. */
  startOf(command: string): ProgramStart {
    const plain = { command: 'bash', args: ['-c', command], cwd: this.workspace, env: { ...process.env } };
    return this.#confinement?.confine(plain) ?? plain;
  }

  /** Resolves with the output of a program, however it ends. */
  async play({ args, env, cwd, command }: ProgramStart): Promise<string> {
    const { promise, resolve } = Promise.withResolvers<string>();
    const options = { env: { ...env }, cwd, timeout: LONGEST, killSignal: 'SIGKILL' } as const;
    execFile(command, [...args], options, (_, stdout, stderr) => resolve(`${stdout}${stderr}`));
    return promise;
  }

  /** Returns a file's content; `undefined` if it is gone. */
  read(path: string): string | undefined {
    try {
      return readFileSync(path, 'latin1');
    } catch {
      return undefined;
    }
  }

  /** True if a file is another than at the beginning. */
  isChanged(file: WorldFile): boolean {
    return this.read(this.path(file)) !== `# ${file}\n`;
  }

  /** Ends the conversation of the agent, and what it has: its sandbox, or its container. */
  async endConversation(): Promise<void> {
    await this.#closeSandbox();
    await this.#contained?.end();
  }

  /** Leaves the container to later worlds. */
  async close(): Promise<void> {
    await this.#closeSandbox();
    if (this.isServing) {
      this.#server?.kill('SIGKILL');
      await once(this.#server as ChildProcess, 'exit');
    }
    process.env = this.#environment;
    rmSync(this.folder, { recursive: true, force: true });
    this.#contained?.clean();
    // an attempt that gets out leaves files where all programs can write
    for (const file of [this.shared, `/tmp/${this.key}`, `/dev/shm/${this.key}`]) rmSync(file, { force: true });
  }

  async #closeSandbox(): Promise<void> {
    await this.#confinement?.close();
    this.#confinement = undefined;
  }

  #makeFiles(): void {
    if (!this.#contained) mkdirSync(this.workspace);
    for (const [name, kind] of Object.entries(FILES)) {
      mkdirSync(dirname(join(this.folder, name)), { recursive: true });
      writeFileSync(join(this.folder, name), kind === 'key' ? `${this.key}\n` : `# ${name}\n`);
    }
    writeFileSync(this.shared, `${this.key}\n`);
    writeFileSync(join(this.workspace, 'main.js'), 'console.log(1);\n');
    if (this.#contained) this.#contained.own();
    else execFileSync('git', ['init', '--quiet', this.workspace], { env: { PATH: process.env['PATH'] } });
    process.env = {
      ...this.#environment,
      HOME: join(this.folder, 'home'),
      PATH: `${join(this.folder, 'home/bin')}:${this.#environment['PATH']}`,
    };
    delete process.env['XDG_CACHE_HOME'];
  }

  async #startServer(): Promise<void> {
    const env = { PATH: process.env['PATH'], VICTIM_KEY: this.key, VICTIM_SOCKET: this.path('docker.sock') };
    this.#server = spawn(process.execPath, [VICTIM], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    const lines = createInterface({ input: this.#server.stdout as NonNullable<ChildProcess['stdout']> });
    lines.on('line', (line) => void (line.startsWith('asked') && (this.#asked += 1)));
    const ended = once(this.#server, 'exit').then(() => ['']);
    const [line] = await Promise.race([once(lines, 'line'), ended]);
    if (!String(line).startsWith('ready'))
      throw new Error(`expected a server that is ready, found ${JSON.stringify(line)}`);
    const [, service, names] = String(line).split(' ').map(Number);
    this.#ports = [service ?? 0, names ?? 0];
  }
}

/** Returns a folder for worlds that no sandbox shows by itself. */
export function worldsFolder(): string {
  const folder = join(process.cwd(), '.cache/escape');
  mkdirSync(folder, { recursive: true });
  return folder.startsWith(tmpdir()) ? '/var/lib' : folder;
}
