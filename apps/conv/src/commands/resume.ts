import { settingsOf } from '../config/settings.ts';
import { atRest } from '../conversation/at-rest.ts';
import { conversationsWith } from '../conversation/local-conversations.ts';
import { agentsWith, resumedAgent } from '../conversation/program-agent.ts';
import { drive } from '../conversation/drive.ts';
import { sandboxHere } from '../conversation/sandbox-here.ts';
import { openHome } from '../conversation/home.ts';
import { placeArguments } from '../conversation/place.ts';
import { readConversation } from '../conversation/stored-conversation.ts';
import { type ExitCode, exitCodes } from '../exit-code.ts';
import { CommandError } from '../command-error.ts';
import { LoginsHere } from '../logins/logins-here.ts';
import { chooseModel, isModelConfigured } from '../model/choose-model.ts';
import type { Program } from '../program.ts';
import { givenServer } from '../server/given-server.ts';
import { ServerWatch } from '../server/server-watch.ts';
import { note } from '../terminal/output.ts';
import { type AgentOptions, noteAgent, visualizer } from './run.ts';

/** Options of `resume`. */
export interface ResumeOptions extends AgentOptions {
  readonly approve?: boolean;
  readonly reject?: boolean;
  readonly scripted?: boolean;
}

/** Continues a conversation, with a new message or where it stopped. */
export async function resumeCommand(
  id: string,
  message: string | undefined,
  options: ResumeOptions,
  program: Program,
): Promise<ExitCode> {
  if (options.approve && options.reject)
    throw new CommandError(exitCodes.usage, 'either --approve or --reject, not both');
  if (message?.trim() === '')
    throw new CommandError(exitCodes.usage, 'the message is empty; write one, or leave it out');
  const watch = new ServerWatch();
  const server = await givenServer(options, undefined, watch);
  if (!server) return resumeHere(id, message, options, program);
  const { resumeThere } = await import('../server/resume-there.ts');
  return resumeThere(server, id, message, { ...options, decision: decisionOf(options), watch, program });
}

async function resumeHere(
  id: string,
  message: string | undefined,
  options: ResumeOptions,
  { invocation, defaultStore, standIn }: Program,
): Promise<ExitCode> {
  await using home = await openHome(options.store);
  const stored = await look(options.store, id);
  // the skills that it has are stored with it; a configuration says which ones it is to have now
  const settings = await settingsOf(options, options.config === undefined ? undefined : stored.workspace);
  if (!isModelConfigured() && !settings.model && stored.model !== standIn?.model && !options.scripted) {
    const scripted = standIn ? ', or continue with the script: --scripted' : '';
    const hint = `set LLM_MODEL and LLM_API_KEY${scripted}`;
    throw new CommandError(exitCodes.model, `the conversation used ${stored.model} and no model is set; ${hint}`);
  }
  await using chosen = await chooseModel(settings.model, standIn);
  await using logins = new LoginsHere();
  const { confined, notice } = await sandboxHere(settings, options.store);
  const parts = { ...settings.agent, ...confined, logins };
  const agent = await resumedAgent(stored.agent, chosen.model, { settings: parts, ...atRest() });
  // tasks of sub-agents are continued by the agents stored with them
  const open = conversationsWith(agentsWith(chosen.model, parts), confined.sandbox);
  await using conversation = await open.resume(stored.id, {
    agent,
    ...home.options,
    ...atRest(),
    ...settings.conversation,
  });
  note(chosen.note);
  if (notice !== undefined) note(notice);
  noteAgent(agent);
  const shown = visualizer(options.json);
  shown.initialize(conversation.state);
  // from the end of the last process, so that events of the recovery are shown
  conversation.subscribe(shown, { from: stored.end });
  if (message === undefined && conversation.state.executionStatus === 'finished') {
    note('the conversation is finished; add a message to continue');
    return exitCodes.done;
  }
  if (message !== undefined) await conversation.sendMessage(message);
  const exitCode = await drive(conversation, {
    invocation,
    place: placeArguments(options, defaultStore),
    pending: decisionOf(options),
  });
  shown.close();
  return exitCode;
}

/** Returns the decision of the command line about all waiting calls. */
function decisionOf({ approve, reject }: ResumeOptions): 'approve' | 'reject' | undefined {
  if (approve) return 'approve';
  return reject ? 'reject' : undefined;
}

async function look(store: string, id: string) {
  await using stored = await readConversation(store, id);
  const llm = stored.state.agent['llm'] as { readonly model?: unknown } | undefined;
  const model = typeof llm?.model === 'string' ? llm.model : 'another model';
  const { agent, workspace, end } = stored.state;
  return { id: stored.id, end: end.event, model, agent, workspace: workspace.workingDir };
}
