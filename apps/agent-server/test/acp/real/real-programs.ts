import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

import { acpAgent, isAcpAgentError, type AcpAgentOptions } from '@conv/acp-agent';
import type { Conversation, JsonObject } from '@conv/core';
import { isEvent } from '@conv/core/events';
import { MemoryStore } from '@conv/core/store';
import { openLocalConversation } from '@conv/local';
import { createSecretVault } from '@conv/secrets';

import { openStandInModel } from './stand-in-model.ts';

// Plays with programs of other vendors that are installed here, without a login and then with a stand-in for their model:
//   npm run interop:programs -- [claude] [codex] [gemini] [qwen]
// Prints a JSON line for each. Fails if an installed program does not do what it should.

type Program = Pick<AcpAgentOptions, 'command' | 'args' | 'env' | 'model'> & {
  readonly package: string;
  /** False if the program may have lost its session after a restart; a new one gets the history then. Default true. */
  readonly keepsSessions?: boolean;
};

const KEY = 'key-of-the-ship-0123456789';

/** The programs, told to ask the stand-in at this address. */
const PROGRAMS: Readonly<Record<string, (url: string) => Program>> = {
  claude: (url) => ({
    package: '@agentclientprotocol/claude-agent-acp',
    command: 'claude-agent-acp',
    env: { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: KEY },
  }),
  codex: (url) => ({
    package: '@agentclientprotocol/codex-acp',
    command: 'codex-acp',
    env: { CODEX_API_KEY: KEY, CODEX_CONFIG: JSON.stringify(codexConfig(url)) },
  }),
  gemini: (url) => ({
    package: '@google/gemini-cli',
    keepsSessions: false,
    command: 'gemini',
    args: ['--acp'],
    // its own choice of a model would ask another one first; it starts MCP servers in folders that it trusts
    model: 'gemini-2.5-pro',
    env: { GEMINI_API_KEY: KEY, GOOGLE_GEMINI_BASE_URL: url, GEMINI_CLI_TRUST_WORKSPACE: 'true' },
  }),
  qwen: (url) => ({
    package: '@qwen-code/qwen-code',
    command: 'qwen',
    args: ['--acp'],
    env: { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: 'albatross' },
  }),
};

function codexConfig(url: string): object {
  const ship = { name: 'ship', base_url: `${url}/v1`, wire_api: 'responses', env_key: 'CODEX_API_KEY' };
  return { model_provider: 'ship', model_providers: { ship } };
}

/** An MCP server for the programs. */
const SHIP = fileURLToPath(new URL('ship-process.ts', import.meta.url));

/** The folders of the programs. Codex's sandbox does not see folders in /tmp. */
const ROOT = join(homedir(), '.cache', 'conv-programs');

/** A program in a folder and a home of its own. */
class Stage {
  readonly folder: string;
  readonly #home: string;
  readonly #store = new MemoryStore();
  readonly #program: Program;
  /** A file that exists once the tools of the MCP server have been listed. */
  readonly #list: string;

  constructor(program: Program) {
    mkdirSync(ROOT, { recursive: true });
    this.folder = mkdtempSync(join(ROOT, 'work-'));
    this.#home = mkdtempSync(join(ROOT, 'home-'));
    this.#list = join(this.#home, 'listed');
    this.#program = program;
  }

  get hasTools(): boolean {
    return existsSync(this.#list);
  }

  /** The lines that the stand-in's command wrote. */
  get lines(): number {
    const file = join(this.folder, 'made.txt');
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').length : 0;
  }

  open(id?: string): Promise<Conversation> {
    const { command, args, model, env } = this.#program;
    const description = {
      mcp_config: { ship: { command: process.execPath, args: [SHIP], env: { SHIP_LIST: this.#list } } },
    };
    const home = { HOME: this.#home, ...env };
    const more = { ...(args ? { args } : {}), ...(model === undefined ? {} : { model }) };
    const agent = acpAgent({ command, ...more, env: home, promptTimeout: 60_000, description });
    const options = { agent, store: this.#store, workspace: this.folder, ...(id === undefined ? {} : { id }) };
    const runtime = { storeAt: () => this.#store, secrets: createSecretVault };
    return openLocalConversation(runtime, { ...options, confirmationPolicy: { kind: 'AlwaysConfirm' } });
  }

  remove(): void {
    for (const folder of [this.folder, this.#home]) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Resolves with the error of a program that has neither a login nor a key. */
async function withoutLogin(program: Program): Promise<string> {
  const stage = new Stage({ ...program, env: {} });
  const conversation = await stage.open();
  try {
    await conversation.sendMessage('Add a line.');
    await conversation.run();
    return RAN;
  } catch (error) {
    const cause = error instanceof Error ? error.cause : undefined;
    return isAcpAgentError(cause) ? `${cause.code}: ${cause.text}` : String(error);
  } finally {
    await conversation.close();
    stage.remove();
  }
}

/** Plays three turns: one allowed, one rejected, and one allowed after a restart of the program. */
async function turns(program: Program): Promise<JsonObject> {
  const stage = new Stage(program);
  let conversation = await stage.open();
  try {
    const ask = async (): Promise<string> => {
      await conversation.sendMessage('Add a line.');
      return (await conversation.run()).status;
    };
    const seen = { asked: await ask(), before: stage.lines };
    const allowed = { allowed: (await conversation.run()).status, added: stage.lines };
    await ask();
    await conversation.reject();
    const rejected = { rejected: (await conversation.run()).status, still: stage.lines };
    const { acp_session_id: session } = conversation.state.agentState;
    await conversation.close();
    conversation = await stage.open(conversation.id);
    const again = { again: await ask(), ended: (await conversation.run()).status, at_last: stage.lines };
    const { agentState } = conversation.state;
    const events = await conversation.events.slice(0);
    return {
      version: agentState['acp_agent_version'] ?? null,
      ...seen,
      ...allowed,
      ...rejected,
      ...again,
      resumed: session === agentState['acp_session_id'],
      models: (agentState['acp_available_models'] as readonly unknown[]).length,
      calls: events.filter((event) => isEvent(event, 'ACPToolCallEvent')).length,
      mcp: stage.hasTools,
      tokens: (conversation.state.stats['acp-managed']?.promptTokens ?? 0) > 0,
    };
  } finally {
    await conversation.close();
    stage.remove();
  }
}

/** Printed for a program that needs no login. */
const RAN = 'it ran';

const EXPECTED = {
  asked: 'waiting_for_confirmation',
  before: 0,
  allowed: 'finished',
  added: 1,
  rejected: 'finished',
  still: 1,
  again: 'waiting_for_confirmation',
  ended: 'finished',
  at_last: 2,
  mcp: true,
};

async function play(name: string, make: (url: string) => Program): Promise<boolean> {
  const model = await openStandInModel();
  const program = make(model.url);
  const print = (line: JsonObject): void =>
    void process.stdout.write(`${JSON.stringify({ program: name, ...line })}\n`);
  try {
    if (!isInstalled(program.command)) {
      print({ installed: false, install: `npm i -g ${program.package}` });
      return true;
    }
    const login = await withoutLogin(program);
    const played = await turns(program);
    const { keepsSessions = true } = program;
    const expected = { ...EXPECTED, resumed: keepsSessions || played['resumed'] };
    const ok = login !== RAN && Object.entries(expected).every(([member, value]) => played[member] === value);
    print({ ok, ...played, login, ...(ok ? {} : { requests: model.log }) });
    return ok;
  } catch (error) {
    print({ ok: false, error: String(error), requests: model.log });
    return false;
  } finally {
    await model.close();
  }
}

function isInstalled(command: string): boolean {
  try {
    execFileSync('/bin/sh', ['-c', 'command -v "$0"', command], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const names = process.argv.slice(2);
const unknown = names.find((name) => !Object.hasOwn(PROGRAMS, name));
if (unknown !== undefined) {
  process.stderr.write(`expected some of ${Object.keys(PROGRAMS).join(', ')}, found ${unknown}\n`);
  process.exit(2);
}
for (const [name, make] of Object.entries(PROGRAMS))
  if (names.length === 0 || names.includes(name)) if (!(await play(name, make))) process.exitCode = 1;
