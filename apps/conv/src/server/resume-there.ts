import type { JsonObject } from '@conv/core/events';
import type { RemoteWorkspace } from '@conv/remote';

import { type Settings, settingsOf } from '../config/settings.ts';
import { programAgent } from '../conversation/program-agent.ts';
import { drive } from '../conversation/drive.ts';
import { type AgentOptions, visualizer } from '../commands/run.ts';
import { type ExitCode, exitCodes } from '../exit-code.ts';
import { CommandError } from '../command-error.ts';
import { type ChosenModel, chooseModel, isModelConfigured } from '../model/choose-model.ts';
import type { Program } from '../program.ts';
import { note } from '../terminal/output.ts';
import { idThere } from './conversations-there.ts';
import { serverArguments } from './given-server.ts';
import { ConversationThere } from './remote-conversations.ts';
import type { ServerWatch } from './server-watch.ts';

/** Options for resuming on a server, with the decision about the waiting calls. */
export interface ResumeThereOptions extends AgentOptions {
  readonly scripted?: boolean;
  readonly decision: 'approve' | 'reject' | undefined;
  readonly watch: ServerWatch;
  readonly program: Program;
}

/**
 * Continues a conversation on a server, which has its agent, its model and the key. Only a model that is named here replaces the
 * server's model, and so does a script, because the earlier script ended with its program.
 */
export async function resumeThere(
  workspace: RemoteWorkspace,
  id: string,
  message: string | undefined,
  options: ResumeThereOptions,
): Promise<ExitCode> {
  const settings = await settingsOf(options, undefined);
  refuseAnotherAgent(settings.agent);
  await using conversation = await ConversationThere.resume(await idThere(workspace, id), {
    workspace,
    ...settings.conversation,
  });
  const { state, settings: there } = conversation;
  await using chosen = await modelFor(state.agent, settings, options);
  if (chosen) {
    note(chosen.note);
    await there.setModel(programAgent(chosen.model).describe({ secrets: 'plain' })['llm']);
  }
  const shown = visualizer(options.json);
  shown.initialize(state);
  conversation.subscribe(shown);
  if (message === undefined && state.executionStatus === 'finished') {
    note('the conversation is finished; add a message to continue');
    return exitCodes.done;
  }
  if (message !== undefined) await conversation.sendMessage(message);
  const exitCode = await drive(conversation, {
    pending: options.decision,
    invocation: options.program.invocation,
    place: serverArguments(options),
    watch: options.watch,
    run: (how) => conversation.run({ ...how, join: true }),
  });
  shown.close();
  return exitCode;
}

function refuseAnotherAgent(agent: Settings['agent']): void {
  const named = Object.keys(agent);
  if (named.length === 0) return;
  throw new CommandError(
    exitCodes.usage,
    `a conversation on a server keeps its agent; do not pass ${named.join(', ')}`,
  );
}

/** Returns the model that replaces the server's model, if any. */
async function modelFor(
  { llm }: JsonObject,
  { model }: Settings,
  { scripted, program: { standIn } }: ResumeThereOptions,
): Promise<ChosenModel | undefined> {
  const there = (llm as { readonly model?: unknown } | undefined)?.model;
  const wanted =
    isModelConfigured() ||
    model !== undefined ||
    scripted === true ||
    (standIn !== undefined && there === standIn.model);
  return wanted ? await chooseModel(model, standIn) : undefined;
}
