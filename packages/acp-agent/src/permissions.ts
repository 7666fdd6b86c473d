import type { RequestPermissionRequest, RequestPermissionResponse } from '@agentclientprotocol/sdk/unstable';
import { type Action, drafts, type EventDraftOfKind, type JsonObject, type TextContent } from '@conv/core/events';
import { toolWires } from '@conv/core/tool';

import { boundedJson, boundedText, type MaskText } from './bounded.ts';

/** The name under which the questions of a program for permission stand in the log, as calls. */
export const PERMISSION_TOOL = 'request_permission';

/** The form of these calls: that of an MCP tool, which every client of OpenHands reads. */
export const permissionWire: ReturnType<typeof toolWires.mcp> = toolWires.mcp({
  name: PERMISSION_TOOL,
  description: 'Asks for permission to run a tool of the program.',
  annotations: {},
  inputSchema: { type: 'object' },
});

/** A program's question for permission, which waits for its answer. */
export interface Question {
  /** The id of its call in the log. */
  readonly id: string;
  readonly request: RequestPermissionRequest;
  /** Answers it. The first answer counts. */
  readonly answer: (response: RequestPermissionResponse) => void;
}

/** The text around a question: what the program said before it. */
export interface Said {
  readonly responseId: string;
  readonly thought: readonly TextContent[];
  readonly reasoning: string | undefined;
}

/**
 * Drafts the call of a question, on which the policy of the conversation decides. The id of the tool call makes two questions about the
 * same command different, so that no loop is seen in them.
 */
export function permissionDraft(
  { id, request: { toolCall, options } }: Question,
  { responseId, thought, reasoning }: Said,
  mask: MaskText,
): EventDraftOfKind<'ActionEvent'> {
  const { toolCallId, title, kind, rawInput, locations } = toolCall;
  const input: JsonObject = {
    title: boundedText(title ?? toolCallId, mask),
    ...(kind ? { kind } : {}),
    ...(rawInput === undefined ? {} : { input: boundedJson(rawInput, mask) }),
    ...(locations && locations.length > 0 ? { paths: locations.map(({ path }) => boundedText(path, mask)) } : {}),
    options: options.map(({ name }) => boundedText(name, mask)),
    tool_call_id: toolCallId,
  };
  return drafts.action({
    tool_name: PERMISSION_TOOL,
    tool_call_id: id,
    tool_call: { id, name: PERMISSION_TOOL, arguments: JSON.stringify(input), origin: 'completion' },
    llm_response_id: responseId,
    action: permissionWire.toAction(input) as unknown as Action,
    thought,
    ...(reasoning === undefined ? {} : { reasoning_content: reasoning }),
    summary: boundedText(title ?? toolCallId, mask),
  });
}

/**
 * Returns the answer to a question: the option for this one time. An option for all times is taken only where there is no other. Without
 * such an option, and for `cancel`, the question is cancelled.
 */
export function answerOf(
  { options }: RequestPermissionRequest,
  decision: 'allow' | 'reject' | 'cancel',
): RequestPermissionResponse {
  const option =
    options.find(({ kind }) => kind === `${decision}_once`) ??
    options.find(({ kind }) => kind === `${decision}_always`);
  return option
    ? { outcome: { outcome: 'selected', optionId: option.optionId } }
    : { outcome: { outcome: 'cancelled' } };
}
