import { checkAgentOptions } from '../base/check-agent-options.ts';
import { errorText, type OptionNames } from '@conv/core';
import { type Platform, systemPlatform } from '@conv/core/platform';
import { defineTool, text, toolWires, type Tool, type ToolFactory, type ToolResult } from '@conv/core/tool';
import { z } from 'zod';
import { plainMessage } from '../base/messages.ts';
import { tagged } from '../base/tagged.ts';
import type { ModelProfiles } from '../model/sources/model-profiles.ts';
import { askProfile } from './ask-profile.ts';

/** Options of {@link askOracleTool}. */
export interface AskOracleOptions {
  /** Profiles of models. Each call loads the profile `oracle` and asks its model. */
  readonly profiles: Pick<ModelProfiles, 'load'>;
  /** Clocks, timers, random numbers and ids of the call. Default: those of the host. */
  readonly platform?: Platform;
}

const NAMES: OptionNames<AskOracleOptions> = { profiles: true, platform: true };

/** The name of the tool. */
const ASK_ORACLE = 'ask_oracle';
/** The name of the profile, as in OpenHands. */
const ORACLE = 'oracle';

const ABOUT = `Ask a stronger model for a second opinion. It knows nothing of this conversation, so the question and its context have to say everything that matters.

Use it when you are stuck, when two ways seem equally good, or before a decision that is hard to take back. Follow its advice unless you have a clear reason not to.`;

const INSTRUCTIONS = `Another agent asks you for a second opinion on its work. Answer its question and recommend one thing to do, in concrete steps, with the risks that it has to watch for. You have no tools and do none of the work yourself.`;

/**
 * Creates the tool by which a model asks another model, the profile `oracle`, with the wire kinds AskOracleTool, AskOracleAction and
 * AskOracleObservation. The conversation goes on with its own model, and pays for the answer. Without such a profile a call fails with the
 * reason.
 *
 * @example
 * ```ts
 * import { askOracleTool, createAgent, modelFromEnvironment, modelProfiles } from '@conv/agent';
 *
 * const profiles = modelProfiles({ directory: '.openhands' });
 * export const agent = () => createAgent({ model: modelFromEnvironment(), tools: [askOracleTool({ profiles })] });
 * ```
 */
export function askOracleTool(options: AskOracleOptions): ToolFactory {
  checkAgentOptions('askOracleTool', options, NAMES);
  return { name: ASK_ORACLE, params: {}, create: () => createOracle(options) };
}

function createOracle({ profiles, platform = systemPlatform }: AskOracleOptions): Tool {
  return defineTool({
    name: ASK_ORACLE,
    description: ABOUT,
    input: z.object({
      question: z.string().min(1).describe('The question, or the choice that is to be made.'),
      context: z
        .string()
        .nullable()
        .default(null)
        .describe('What was tried, what limits the choice, and what you would do.'),
    }),
    annotations: { title: ASK_ORACLE, readOnly: true, destructive: false, idempotent: false, openWorld: true },
    resources: () => [],
    wire: (tool) =>
      toolWires.native(tool, {
        definition: 'AskOracleTool',
        action: 'AskOracleAction',
        observation: 'AskOracleObservation',
      }),
    execute: async ({ question, context }, call) => {
      const asked = [tagged('question', [question]), ...(context?.trim() ? [tagged('context', [context])] : [])];
      try {
        const answer = await askProfile(
          {
            model: await profiles.load(ORACLE),
            usageId: `oracle:${ORACLE}`,
            messages: [plainMessage('system', INSTRUCTIONS), plainMessage('user', asked.join('\n\n'))],
            platform,
          },
          call,
        );
        return answer === '' ? failed('The oracle gave no answer.') : { content: text(answer) };
      } catch (error) {
        call.signal.throwIfAborted();
        return failed(`The oracle cannot be asked: ${errorText(error)}.`);
      }
    },
  });
}

function failed(why: string): ToolResult {
  return { content: text(why), isError: true };
}
