import type { AgentSession, SecretDescription } from '@conv/core';
import type { ActionEvent, JsonObject } from '@conv/core/events';
import type { Tool, ToolSession } from '@conv/core/tool';
import { judgeGoal } from '../questions/judge.ts';
import { forConversation } from '../model/for-conversation.ts';
import { maskTextOf } from '../base/mask-text.ts';
import { pathRules } from '../skills/path-rules.ts';
import type { MadeTools } from '../tools/make-tools.ts';
import { type OfferedTool, offerTool } from '../tools/offered-tool.ts';
import { partsOf, rememberCaller } from './agent-parts.ts';
import type { Described } from './describe.ts';
import { DEFAULT_SYSTEM_PROMPT } from '../step/default-prompt.ts';
import { Condensing } from '../step/condensing.ts';
import type { CallLimits } from '../calls/call-limits.ts';
import { editCall } from '../calls/edit-call.ts';
import { executeAction } from '../calls/execute.ts';
import { Repairs } from '../step/repairs.ts';
import { answerSideQuestion } from '../questions/side-question.ts';
import { step, type Stepper } from '../step/step.ts';
import { withCurrentSecrets } from '../step/secrets-block.ts';
import { systemPromptDraft } from '../step/system-prompt.ts';
import { consultModel } from '../questions/consult.ts';
import { makeTitle } from '../questions/title.ts';

/** Dependencies of an agent's session. */
export interface SessionDeps {
  readonly made: MadeTools;
  readonly session: ToolSession;
  readonly limits: CallLimits;
  readonly startedAt: Date;
  /** The block about the notes of earlier conversations; `undefined`: the agent has no memory. */
  readonly memory: string | undefined;
}

export function createSession(
  parts: Described,
  { made, session, limits, startedAt, memory }: SessionDeps,
): AgentSession {
  const { platform, condenser, skills, toolTimeout: timeout } = parts;
  const offered = offeredTools(made);
  const mask = maskTextOf(session);
  const rules = pathRules(skills, session.workingDirectory);
  const condensing = new Condensing();
  const asked = (by: Described): Stepper => ({
    platform,
    model: forConversation(by.model, session.conversationId),
    usageId: by.model.usageId ?? by.usageId,
    condenser: by.condenser,
    get tools() {
      return offered();
    },
    mask,
    sideDirectory: session.sideDirectory,
    mustFinish: parts.response !== undefined,
    condensing,
    // Each model starts without repairs: it may accept a history that another model refused.
    repairs: new Repairs(),
  });
  let stepper = asked(parts);
  let closed: Promise<void> | undefined;
  // The secrets of the last step, because a side question comes without secrets.
  let secrets: readonly SecretDescription[] | undefined;
  return {
    get tools() {
      return made.tools.map(({ name, annotations }) => ({ name, readOnly: annotations.readOnly ?? false }));
    },
    toolConcurrency: parts.toolConcurrency,
    systemPrompt: (options) =>
      systemPromptDraft({
        prompt: parts.systemPrompt ?? DEFAULT_SYSTEM_PROMPT,
        suffix: parts.systemSuffix,
        skills,
        memory,
        tools: made.tools,
        session,
        now: startedAt,
        secrets: options?.secrets ?? [],
      }),
    step: (context) => {
      secrets = context.secrets;
      // A list of tools that changes during this step is used from the next step on.
      return step({ ...stepper, tools: offered() }, context);
    },
    ...(condenser?.handlesRequests === true ? { condense: (context) => condensing.answer(stepper, context) } : {}),
    resources: (event) => resourcesOf(event, offered().get(event.tool_name)?.tool),
    ...(rules
      ? {
          enrichResult: (event, { activated }) =>
            rules.touched(resourcesOf(event, offered().get(event.tool_name)?.tool) ?? [], activated),
        }
      : {}),
    edit: (event, args) => editCall(event, args, { platform, tools: offered(), mask }),
    execute: (event, context) => executeAction(event, { limits, tools: offered(), session, timeout }, context),
    answer: (question, view, signal) =>
      answerSideQuestion(
        stepper,
        question,
        secrets === undefined ? view : withCurrentSecrets(view, secrets, mask),
        signal,
      ),
    judge: (objective, view, signal) => judgeGoal(stepper, objective, view, signal),
    title: (message, maxLength, signal, prompt) => makeTitle(stepper, message, maxLength, signal, prompt),
    consult: (question, signal) => consultModel(stepper, question, signal),
    switchTo: (agent) => {
      stepper = asked(partsOf(agent));
      rememberCaller(session, partsOf(agent));
    },
    close: () => (closed ??= made.close()),
  };
}

/** Returns the tools by name as they are now, computed again only when the list has changed. */
function offeredTools(made: MadeTools): () => ReadonlyMap<string, OfferedTool> {
  let from: readonly Tool[] | undefined;
  let offered: ReadonlyMap<string, OfferedTool> = new Map();
  return () => {
    const { tools } = made;
    if (from !== tools) offered = new Map(tools.map((tool) => [tool.name, offerTool(tool)]));
    from = tools;
    return offered;
  };
}

function resourcesOf(event: ActionEvent, tool: Tool | undefined): readonly string[] | undefined {
  if (tool === undefined || !event.action) return [];
  try {
    return tool.resources(tool.parse(tool.wire.fromAction(event.action as JsonObject)));
  } catch {
    // A call whose resources cannot be determined runs alone; its failure is reported when it runs.
    return undefined;
  }
}
