import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createModelServer, say } from '@conv/testing-model-server';
import { run } from '../command.ts';
import { npmInstall } from './npm-install.ts';
import { pnpmInstall } from './pnpm-install.ts';

/** Milliseconds in which an installed program has done what is asked of it here. */
const LIMIT = 60_000;

/** A Node that is too old for the programs. */
const OLD_NODE = '20';

/** Result of using the published programs. */
export interface UsedPrograms {
  /** Runs of a program that were compared with what they should say. */
  readonly runs: number;
  readonly problems: readonly string[];
}

/** Tarballs that a program needs when it is installed, and where they are. */
export interface Needed {
  readonly needs: (name: string) => readonly string[];
  readonly files: ReadonlyMap<string, string>;
}

/**
 * Installs `@conv/cli`, `@conv/agent-server` and `@conv/studio` into empty folders, and uses their programs as a newcomer does: a conversation
 * with a scripted model, its id from another folder, a server and a page that answer, packages that are missing, and a Node that is too old.
 */
export async function usePrograms(work: string, needed: Needed): Promise<UsedPrograms> {
  const programs = new Programs(work, needed);
  await programs.useConv();
  await programs.useServer();
  await programs.useStudio();
  return programs;
}

class Programs implements UsedPrograms {
  runs = 0;
  readonly problems: string[] = [];
  readonly #work: string;
  readonly #needed: Needed;
  readonly #data: string;

  constructor(work: string, needed: Needed) {
    this.#work = work;
    this.#needed = needed;
    this.#data = join(work, 'data');
  }

  async useConv(): Promise<void> {
    const dir = await this.#install('@conv/cli');
    if (dir === undefined) return;
    await using model = await createModelServer({ script: () => say('It works.') });
    const settings = { LLM_MODEL: 'openai/scripted', LLM_BASE_URL: model.url };
    await this.#expect(dir, ['conv', '--version'], 0, /^\d+\.\d+\.\d+/);
    const said = await this.#expect(dir, ['conv', 'run', 'Does it work?'], 0, /It works\./, settings);
    const [, id = 'none'] = /conversation ([\da-f-]{36}) in/.exec(said) ?? [];
    const elsewhere = join(this.#work, 'elsewhere');
    mkdirSync(elsewhere);
    const conv = join(dir, 'node_modules/.bin/conv');
    await this.#expect(elsewhere, [conv, 'list'], 0, new RegExp(id));
    await this.#expect(elsewhere, [conv, 'show', id.slice(0, 8)], 0, /It works\./);
    await this.#expect(dir, ['conv', 'run', 'x'], 6, /no model is configured: set LLM_MODEL/);
    await this.#expect(dir, ['conv', 'serve'], 2, /npm i @conv\/agent-server/);
    await this.#expect(dir, ['conv', 'studio'], 2, /npm i @conv\/studio/);
    await this.#expect(
      dir,
      ['conv', 'list', '--store', 's3:some-bucket'],
      2,
      /npm i @conv\/persist-s3 @aws-sdk\/client-s3/,
    );
    await this.#expect(
      dir,
      ['conv', 'list', '--store', 'postgres://u@127.0.0.1:1/d'],
      2,
      /npm i @conv\/persist-postgres/,
    );
    await this.#refuseOldNode(dir, '@conv/cli');
  }

  async useServer(): Promise<void> {
    const dir = await this.#install('@conv/agent-server');
    if (dir === undefined) return;
    await this.#expect(dir, ['conv-server', '--version'], 0, /^\d+\.\d+\.\d+/);
    await this.#refuseOldNode(dir, '@conv/agent-server');
    await this.#serves(dir, ['conv-server', '--port', '0'], /"url":"([^"]+)".*"msg":"listening"/, '/server_info');
  }

  /** `conv studio` finds the package beside it, and its page is there; the package is a program of its own, too. */
  async useStudio(): Promise<void> {
    const dir = await this.#install('@conv/studio', '@conv/cli');
    if (dir === undefined) return;
    await this.#expect(dir, ['conv-studio', '--version'], 0, /^\d+\.\d+\.\d+/);
    const link = /Open (http:\/\/127\.0\.0\.1:\d+)\//;
    const store = join(dir, 'conversations');
    mkdirSync(store);
    const place = [`fs:${store}`, '--no-open', '--port', '0'];
    await this.#serves(dir, ['conv', 'studio', ...place], link, '/studio/');
    await this.#serves(dir, ['conv-studio', ...place], link, '/studio/');
  }

  /** Starts an installed program that says its URL, and asks it for a path. */
  async #serves(dir: string, [program = '', ...args]: readonly string[], url: RegExp, path: string): Promise<void> {
    this.runs += 1;
    const child = spawn(join(dir, 'node_modules/.bin', program), args, {
      cwd: dir,
      env: { PATH: process.env['PATH'], HOME: dir, LOG_JSON: 'true' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const name = [program, ...args].join(' ');
    try {
      const answer = await fetch(`${await listening(child, url)}${path}`, { signal: AbortSignal.timeout(LIMIT) });
      if (!answer.ok) this.problems.push(`${name} answers ${path} with ${answer.status}`);
    } catch (error) {
      this.problems.push(`${name} does not start: ${error instanceof Error ? error.message : String(error)}`);
    } finally {
      child.kill('SIGKILL');
    }
  }

  /** Installs a package, and others beside it. Resolves with the folder; `undefined` if that failed. */
  async #install(name: string, ...others: readonly string[]): Promise<string | undefined> {
    const dir = join(this.#work, `program-${name.replace('/', '__')}`);
    mkdirSync(dir);
    const dependencies = Object.fromEntries(
      [name, ...others]
        .flatMap((each) => this.#needed.needs(each))
        .map((each) => [each, `file:${this.#needed.files.get(each)}`]),
    );
    writeFileSync(join(dir, 'package.json'), JSON.stringify({ name: 'newcomer', private: true, dependencies }));
    // npm needs ten times the processor of pnpm, so one of the programs tries it
    const byNpm = name === '@conv/cli';
    const begun = performance.now();
    const { status, output } = byNpm ? await run('npm', npmInstall, dir) : await pnpmInstall(dir, this.#needed.files);
    if (status !== 0) this.problems.push(`${name} does not install\n${output}`);
    process.stdout.write(`  ${name} is installed in ${((performance.now() - begun) / 1000).toFixed(1)} s\n`);
    return status === 0 ? dir : undefined;
  }

  /** Runs a program, through npx when it is asked for its version. Resolves with what it said, which must be like this. */
  async #expect(
    cwd: string,
    [program = '', ...args]: readonly string[],
    status: number,
    says: RegExp,
    settings: Readonly<Record<string, string>> = {},
  ): Promise<string> {
    this.runs += 1;
    const variables = Object.entries({ XDG_DATA_HOME: this.#data, LLM_MODEL: '', ...settings });
    const assigned = variables.map(([name, value]) => `${name}=${value}`);
    const path = program.includes('/') ? program : join(cwd, 'node_modules/.bin', program);
    const command = path !== program && args[0] === '--version' ? ['npx', '--no-install', program] : [path];
    const outcome = await run('env', [...assigned, ...command, ...args], cwd, LIMIT);
    if (outcome.status !== status || !says.test(outcome.output))
      this.problems.push(
        `${program} ${args.join(' ')}: expected status ${status} and ${says}, found ${outcome.status}\n${outcome.output.trim()}`,
      );
    return outcome.output;
  }

  async #refuseOldNode(dir: string, name: string): Promise<void> {
    const main = join(dir, `node_modules/${name}/dist/main.js`);
    const npx = ['npx', '--yes', '--prefer-offline', `--package=node@${OLD_NODE}`, '--', 'node', main];
    await this.#expect(dir, ['/usr/bin/env', ...npx, '--version'], 2, /expected Node 22\.19 or newer, found 20\./);
  }
}

/** Resolves with the URL of a server; rejects when it ends before, or says nothing in time. */
async function listening(child: ChildProcess, url: RegExp): Promise<string> {
  const heard = Promise.withResolvers<string>();
  let said = '';
  const hear = (text: string): void => {
    said += text;
    const [, found] = url.exec(said) ?? [];
    if (found !== undefined) heard.resolve(found);
  };
  child.stderr?.setEncoding('utf8').on('data', hear);
  child.stdout?.setEncoding('utf8').on('data', hear);
  child.once('error', heard.reject).once('exit', () => heard.reject(new Error(said)));
  const late = setTimeout(() => heard.reject(new Error(`nothing in ${LIMIT} ms: ${said}`)), LIMIT);
  try {
    return await heard.promise;
  } finally {
    clearTimeout(late);
  }
}
