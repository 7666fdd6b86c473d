import { randomUUID } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';

import { TerminalVisualizer } from '@conv/visualize';

import { atRest } from '../conversation/at-rest.ts';
import { Conversation } from '../conversation/conversation-factory.ts';
import { demoAgent } from '../conversation/demo-agent.ts';
import { drive } from '../conversation/drive.ts';
import { givenMcp } from '../conversation/given-mcp.ts';
import { takeSecrets } from '../conversation/given-secrets.ts';
import { hooksOf, safeguards, type SafeguardOptions } from '../conversation/safeguards.ts';
import { type ExitCode, exitCodes } from '../exit-code.ts';
import { CommandError } from '../failure.ts';
import { backtickScript } from '../model/backtick-script.ts';
import { type ChosenModel, chooseModel } from '../model/choose-model.ts';
import { note, plain } from '../terminal/output.ts';

/** Where an agent works when nobody says otherwise, relative to the folder that the program was started in. */
const DEFAULT_WORKSPACE = 'workspace/project';

/** What the commands that run an agent have in common. */
export interface AgentOptions {
  readonly dir: string;
  readonly tools?: readonly string[];
  /** A file with MCP servers. */
  readonly mcp?: string;
  readonly json?: boolean;
  /** Names of variables that hold secrets. */
  readonly secret?: readonly string[];
}

/** Options of `run`. */
export interface RunOptions extends AgentOptions, SafeguardOptions {
  readonly workspace?: string;
  readonly hooks?: boolean;
  readonly maxIterations?: number;
  /** US dollars. */
  readonly budget?: number;
}

/** Starts a conversation with a task and lets the agent work on it. */
export async function runCommand(task: string, options: RunOptions): Promise<ExitCode> {
  if (task.trim() === '') throw new CommandError(exitCodes.usage, 'the task is empty');
  checkFolder(options.workspace);
  const servers = givenMcp(options.mcp);
  await using chosen = await chooseModel(backtickScript);
  const id = randomUUID();
  await using conversation = await Conversation({
    id,
    create: 'must',
    agent: demoAgent(chosen.model, options.tools, servers),
    persistenceDir: options.dir,
    title: plain(task, 60),
    visualizer: visualizer(options.json),
    ...(options.workspace === undefined ? {} : { workspace: options.workspace }),
    ...atRest(),
    ...takeSecrets(options.secret),
    ...safeguards(options),
    ...(await hooksOf(options.workspace ?? DEFAULT_WORKSPACE, options.hooks)),
    ...(options.maxIterations === undefined ? {} : { maxIterations: options.maxIterations }),
    ...(options.budget === undefined ? {} : { maxBudgetPerRun: options.budget }),
  });
  note(`conversation ${conversation.id} in ${options.dir}`);
  noteModel(chosen);
  await conversation.sendMessage(task);
  return await drive(conversation);
}

function checkFolder(workspace: string | undefined): void {
  if (workspace === undefined || !existsSync(workspace) || statSync(workspace).isDirectory()) return;
  throw new CommandError(exitCodes.usage, `the workspace ${workspace} is no folder`);
}

/** What shows a conversation while it runs. */
export function visualizer(json = false): TerminalVisualizer {
  return new TerminalVisualizer({ mode: json ? 'json' : 'normal' });
}

/** Says which model answers. */
export function noteModel({ model, url }: ChosenModel): void {
  if (url === undefined) return note(`model ${model.name}`);
  note(`no LLM_MODEL is set: a script answers at ${url}; it runs what stands in backticks in your message`);
}
