import { randomUUID } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';

import type { Agent, Conversation } from '@conv/core';
import { TerminalVisualizer } from '@conv/visualize';

import { type GivenOptions, settingsOf } from '../config/settings.ts';
import { atRest } from '../conversation/at-rest.ts';
import { programAgent } from '../conversation/program-agent.ts';
import { sandboxHere } from '../conversation/sandbox-here.ts';
import { openHome, placeText } from '../conversation/home.ts';
import { type PlaceOptions, placeArguments } from '../conversation/place.ts';
import { drive, type DriveOptions } from '../conversation/drive.ts';
import { hooksOf } from '../conversation/safeguards.ts';
import { type ExitCode, exitCodes } from '../exit-code.ts';
import { CommandError } from '../command-error.ts';
import { LoginsHere } from '../logins/logins-here.ts';
import { chooseModel } from '../model/choose-model.ts';
import type { Program } from '../program.ts';
import { givenServer } from '../server/given-server.ts';
import { ServerWatch } from '../server/server-watch.ts';
import { note, plain } from '../terminal/output.ts';

/** Default folder of an agent, relative to the folder that the program was started in. */
const DEFAULT_WORKSPACE = 'workspace/project';

/** Names under which people look for a configuration. */
const CONFIG_FILES = ['conv.config.json', 'conv.config.yaml', 'conv.config.yml'];

/** Options shared by the commands that run an agent. */
export interface AgentOptions extends GivenOptions, PlaceOptions {
  readonly json?: boolean;
}

/** Options of `run`. */
export interface RunOptions extends AgentOptions {
  readonly workspace?: string;
  readonly hooks?: boolean;
}

/** Starts a conversation with a task and lets the agent work on it. */
export async function runCommand(
  task: string,
  options: RunOptions,
  { invocation, defaultStore, standIn }: Program,
): Promise<ExitCode> {
  if (task.trim() === '') throw new CommandError(exitCodes.usage, 'the task is empty; say what the agent is to do');
  const watch = new ServerWatch();
  const server = await givenServer(options, options.workspace, watch);
  const folder = server ? undefined : (options.workspace ?? DEFAULT_WORKSPACE);
  checkFolder(folder);
  await using home = server ? undefined : await openHome(options.store);
  const settings = await settingsOf(options, folder);
  await using chosen = await chooseModel(settings.model, standIn);
  await using logins = new LoginsHere();
  const here = folder === undefined ? undefined : await sandboxHere(settings, options.store);
  const agent = programAgent(chosen.model, { ...settings.agent, ...here?.confined, logins });
  const id = randomUUID();
  const given = {
    id,
    agent,
    title: plain(task, 60),
    visualizer: visualizer(options.json),
    ...settings.conversation,
    ...(await hooksOf(folder, options.hooks, here?.confined)),
  };
  const place = placeArguments(options, defaultStore);
  const begin = async (conversation: Conversation, where: string, how: DriveOptions): Promise<ExitCode> => {
    note(`conversation ${conversation.id} ${where}`);
    note(chosen.note);
    if (here?.notice !== undefined) note(here.notice);
    noteAgent(agent);
    noteConfig(options.config);
    await conversation.sendMessage(task);
    return await drive(conversation, how);
  };
  if (server) {
    const { ConversationThere } = await import('../server/remote-conversations.ts');
    await using there = await ConversationThere.create({ ...given, workspace: server });
    const run: DriveOptions['run'] = (how) => there.run({ ...how, join: true });
    return await begin(there, `on ${server.host}`, { invocation, place, watch, run });
  }
  const { ConversationHere } = await import('../conversation/local-conversations.ts');
  const { workspace } = options;
  const local = { ...home?.options, ...(workspace === undefined ? {} : { workspace }), ...atRest() };
  await using conversation = await ConversationHere.create({ ...given, ...local });
  return await begin(conversation, `in ${placeText(options.store)}`, { invocation, place });
}

function checkFolder(workspace: string | undefined): void {
  if (workspace === undefined || !existsSync(workspace) || statSync(workspace).isDirectory()) return;
  throw new CommandError(exitCodes.usage, `the workspace ${workspace} is not a folder; name one with --workspace`);
}

/** Returns the visualizer of a running conversation. */
export function visualizer(json = false): TerminalVisualizer {
  return new TerminalVisualizer({ mode: json ? 'json' : 'normal' });
}

/** Prints the parts of an agent beside its tools, so that a person knows what instructs it. */
export function noteAgent(agent: Agent): void {
  const { mcp_config: servers, agent_context: context } = agent.describe();
  const { skills = [] } = (context ?? {}) as { readonly skills?: readonly { readonly name: string }[] };
  const names = Object.keys(servers ?? {});
  if (names.length > 0) note(`MCP servers: ${names.join(', ')}`);
  if (skills.length > 0) note(`skills: ${skills.map(({ name }) => name).join(', ')}`);
}

/**
 * Notes a configuration file that is not used. A configuration can start programs, so it must be named, and the current folder
 * does not choose it.
 */
function noteConfig(given: string | undefined): void {
  const found = given === undefined ? CONFIG_FILES.find((file) => existsSync(file)) : undefined;
  if (found !== undefined) note(`${found} is not used without --config ${found}`);
}
