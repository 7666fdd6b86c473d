import { checkAgentOptions } from '../base/check-agent-options.ts';
import { errorText, type OptionNames } from '@conv/core';
import type { JsonObject } from '@conv/core/events';
import { type Platform, systemPlatform } from '@conv/core/platform';
import {
  defineTool,
  text,
  toolWires,
  ToolError,
  type Tool,
  type ToolContext,
  type ToolFactory,
  type ToolResult,
} from '@conv/core/tool';
import { metaProfiles as rulesOfOpenHands } from '@conv/openhands/descriptions';
import { z } from 'zod';
import { AgentError } from '../base/agent-error.ts';
import { firstProblem } from '../base/first-problem.ts';
import type { Model } from '../model/model.ts';
import type { LlmObjects } from '../model/sources/llm-objects.ts';
import { storedModel } from '../model/sources/model-from-description.ts';
import type { ModelProfiles } from '../model/sources/model-profiles.ts';
import { PROFILE_USAGE } from '../model/sources/with-stored-fallbacks.ts';
import { askProfile } from './ask-profile.ts';
import { classifierMessages, type MetaProfile, readChoice, recentMessages } from './classification.ts';

/** Options of {@link routeTaskTool}. */
export interface RouteTaskOptions {
  /** The models that are chosen from, and the model that classifies. */
  readonly profiles: Pick<ModelProfiles, 'list' | 'load'>;
  /** Stored rules, by name. Default: none, so `params` need rules. */
  readonly metaProfiles?: Pick<LlmObjects, 'names' | 'get'>;
  /**
   * Members with their names on the wire, which a stored agent keeps. `active_meta_profile` names the stored rules; without it the first
   * ones apply. `meta_profile` has rules, `{ classifier_model, classes: [{ description, model }] }`, for a place without stored ones, and
   * `meta_profile_llms` LLM objects by the names of profiles, which go before the profiles. Default `{}`.
   */
  readonly params?: JsonObject;
  /** Clocks, timers, random numbers and ids of the call that classifies. Default: those of the host. */
  readonly platform?: Platform;
}

type RouteTaskParams = z.output<typeof rulesOfOpenHands.paramsSchema>;

const NAMES: OptionNames<RouteTaskOptions> = { profiles: true, metaProfiles: true, params: true, platform: true };

/** The name of the tool, for its model. */
const ROUTE_TASK = 'route_task_to_model';
/** The name of the tool in the wire's agent object. */
export const ROUTE_TASK_TOOL = 'ClassifyAndSwitchLLMTool';

const ABOUT = `Choose the language model that fits the present task best, and hand this conversation over to it. Another model reads the last messages and chooses by the rules of the user. The chosen model answers from the next step on.

Call it when a task begins, or when the kind of the task has changed.`;

/**
 * Creates the tool by which a conversation gets the model for its task, with the wire kinds ClassifyAndSwitchLLMTool,
 * ClassifyAndSwitchLLMAction and ClassifyAndSwitchLLMObservation. A small model sorts the task into a class, and each class names a model
 * profile. If no class fits, the call fails and the model stays. Throws {@link AgentError} `INVALID_OPTION` for wrong rules in `params`.
 *
 * @example
 * ```ts
 * import { createAgent, modelFromEnvironment, modelProfiles, routeTaskTool } from '@conv/agent';
 *
 * const profiles = modelProfiles({ directory: '.openhands' });
 * const rules = {
 *   classifier_model: 'small',
 *   classes: [
 *     { description: 'a question that a few sentences answer', model: 'fast' },
 *     { description: 'a change of code', model: 'deep' },
 *   ],
 * };
 * const route = routeTaskTool({ profiles, params: { meta_profile: rules } });
 * export const agent = () => createAgent({ model: modelFromEnvironment(), tools: [route] });
 * ```
 */
export function routeTaskTool(options: RouteTaskOptions): ToolFactory {
  checkAgentOptions('routeTaskTool', options, NAMES);
  const { params = {} } = options;
  const read = rulesOfOpenHands.paramsSchema.safeParse(params);
  if (!read.success)
    throw new AgentError('INVALID_OPTION', `routeTaskTool: params: ${firstProblem(read.error)}`, { cause: read.error });
  return { name: ROUTE_TASK_TOOL, params, create: () => createRoute(options, read.data) };
}

function createRoute(options: RouteTaskOptions, params: RouteTaskParams): Tool {
  const { profiles, platform = systemPlatform } = options;
  const sent = params.meta_profile_llms ?? {};
  const load = async (name: string): Promise<Model> => {
    const llm = Object.hasOwn(sent, name) ? sent[name] : undefined;
    return llm === undefined ? profiles.load(name) : { ...storedModel(llm), usageId: `${PROFILE_USAGE}${name}` };
  };
  const choose = async (call: ToolContext): Promise<ToolResult> => {
    const { setModel, view } = call;
    if (setModel === undefined) throw new ToolError('UNSUPPORTED', 'This conversation cannot change its model.');
    const rules = await rulesOf(options, params);
    const answer = await askProfile(
      {
        model: await load(rules.classifier_model),
        usageId: `classifier:${rules.classifier_model}`,
        messages: classifierMessages(rules, recentMessages((await view?.()) ?? [])),
        platform,
      },
      call,
    );
    const chosen = readChoice(rules, answer, [...new Set([...Object.keys(sent), ...(await profiles.list())])]);
    if (!chosen) return stays(`${rules.classifier_model} chose none of them, it answered ${JSON.stringify(answer)}`);
    const { profile, because: chosenClass } = chosen;
    try {
      const model = await load(profile);
      await setModel(model);
      return {
        content: text(
          `The task counts as ${JSON.stringify(chosenClass)}. From the next step on ${model.name} answers, by the profile ${profile}.`,
        ),
        fields: { chosen_class: chosenClass, model: profile, active_model: model.name },
      };
    } catch (error) {
      call.signal.throwIfAborted();
      return { ...stays(errorText(error)), fields: { chosen_class: chosenClass, model: profile } };
    }
  };
  return defineTool({
    name: ROUTE_TASK,
    description: ABOUT,
    input: z.object({}),
    annotations: { title: ROUTE_TASK, readOnly: false, destructive: false, idempotent: false, openWorld: false },
    wire: (tool) =>
      toolWires.native(tool, {
        definition: ROUTE_TASK_TOOL,
        action: 'ClassifyAndSwitchLLMAction',
        observation: 'ClassifyAndSwitchLLMObservation',
      }),
    execute: async (_, call) => {
      try {
        return await choose(call);
      } catch (error) {
        call.signal.throwIfAborted();
        return stays(errorText(error));
      }
    },
  });
}

function stays(why: string): ToolResult {
  return { content: text(`The model stays as it is: ${why}.`), isError: true };
}

/** Resolves with the rules: the stored ones if they are there, or those of the agent. Rejects {@link ToolError} `FAILED` without any. */
async function rulesOf(
  { metaProfiles }: RouteTaskOptions,
  { active_meta_profile: active, meta_profile: sent }: RouteTaskParams,
): Promise<MetaProfile> {
  const name = active ?? (sent ? undefined : (await metaProfiles?.names())?.toSorted()[0]);
  const stored = name === undefined ? undefined : await metaProfiles?.get(name);
  if (stored !== undefined) {
    const read = rulesOfOpenHands.schema.safeParse(stored);
    if (read.success) return read.data;
    throw new ToolError('FAILED', `the rules ${name} cannot be used: ${firstProblem(read.error)}`);
  }
  if (sent) return sent;
  throw new ToolError(
    'FAILED',
    `${name === undefined ? 'there are no rules to choose by' : `there are no rules named ${name}`}; save a meta-profile first`,
  );
}
