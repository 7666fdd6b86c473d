import { errorText } from '@conv/core';
import { toolWires, defineTool, text, type Tool, type ToolResult } from '@conv/core/tool';
import { z } from 'zod';
import { isAgentError } from '../base/agent-error.ts';
import type { ModelProfiles } from '../model/sources/model-profiles.ts';

/** The tool's name in the wire's agent object. */
export const SWITCH_LLM = 'SwitchLLMTool';

/** The most names that the model is told. */
const MAX_NAMES = 50;

/** The models that an agent may change to. */
export type SwitchProfiles = Pick<ModelProfiles, 'list' | 'load'>;

/**
 * Creates the tool by which the model hands over to another model. The conversation continues with that model from its
 * next step, also after a restart. `names` are the present profiles; the name of a later profile is accepted too.
 */
export function switchLlmTool(profiles: SwitchProfiles, names: readonly string[]): Tool {
  const known = names.length === 0 ? '' : `\nProfiles: ${listed(names)}.`;
  return defineTool({
    name: 'switch_llm',
    description: `Hand this conversation over to another language model, by the name of its profile: from the next step on it answers in your place and reads all that was said.
Do it when the user asks for it, or when what comes next is clearly better done by that one.${known}`,
    input: z.object({
      profile_name: z.string().describe('The name of the profile.'),
      reason: z.string().describe('Why, in a sentence.'),
    }),
    annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: true },
    wire: (tool) =>
      toolWires.native(tool, {
        definition: SWITCH_LLM,
        action: 'SwitchLLMAction',
        observation: 'SwitchLLMObservation',
      }),
    execute: async ({ profile_name: name, reason }, { setModel }) => {
      const said = { profile_name: name, reason };
      if (setModel === undefined) return refusal('This conversation cannot change its model.', said);
      try {
        const model = await profiles.load(name);
        await setModel(model);
        const content = text(`From the next step on ${model.name} answers, by the profile ${name}.`);
        return { content, fields: { ...said, active_model: model.name } };
      } catch (error) {
        return refusal(await problem(error, profiles), said);
      }
    },
  });
}

function refusal(problem: string, said: { readonly profile_name: string; readonly reason: string }): ToolResult {
  return { content: text(problem), isError: true, fields: said };
}

/** Describes the error, and for an unknown name the names that are possible. */
async function problem(error: unknown, profiles: SwitchProfiles): Promise<string> {
  const reason = errorText(error);
  if (!isAgentError(error, 'UNKNOWN_PROFILE') && !isAgentError(error, 'INVALID_OPTION'))
    return `The model stays as it is: ${reason}.`;
  const names = await namesOf(profiles);
  return `The model stays as it is: ${reason}. Profiles: ${names.length === 0 ? 'none' : listed(names)}.`;
}

/** Resolves the present names; none if they cannot be read. */
export async function namesOf(profiles: SwitchProfiles): Promise<readonly string[]> {
  return profiles.list().catch(() => []);
}

function listed(names: readonly string[]): string {
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : '';
  return `${names.slice(0, MAX_NAMES).join(', ')}${more}`;
}
