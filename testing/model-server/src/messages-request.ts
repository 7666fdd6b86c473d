import { checkCallPairing } from './call-pairing.ts';
import { contentText, hasText, type PartShapes } from './content-rules.ts';
import type { ParsedRequest } from './endpoint.ts';
import { isObject, type JsonObject } from './json.ts';
import type { ModelMessage } from './model-request.ts';
import { ensure } from './rules.ts';
import { sealOf } from './seal.ts';
import { checkCall, checkToolChoice, checkTools, type ToolDefinition } from './tool-rules.ts';

const hasSomeText = ({ text }: JsonObject): boolean => typeof text === 'string' && text !== '';
const hasSource = ({ source }: JsonObject): boolean => isObject(source) && typeof source['type'] === 'string';
const systemParts: PartShapes = { text: hasSomeText };
const resultParts: PartShapes = { text: hasText, image: hasSource, document: hasSource };
const userParts: PartShapes = { text: hasSomeText, image: hasSource, document: hasSource, tool_result: () => true };
const assistantParts: PartShapes = {
  text: hasSomeText,
  tool_use: ({ input }) => isObject(input),
  thinking: ({ thinking, signature }) => typeof thinking === 'string' && typeof signature === 'string',
  redacted_thinking: ({ data }) => typeof data === 'string',
};

/** Reads a body of Anthropic's Messages API; throws `RuleBroken` where Anthropic would answer 400. */
export function parseMessagesRequest(body: JsonObject): ParsedRequest {
  const { model, max_tokens: maxTokens, messages, system, stream, tools, tool_choice: choice } = body;
  ensure(typeof model === 'string' && model !== '', 'model', 'model', 'must be a non-empty string');
  const limited = typeof maxTokens === 'number' && maxTokens >= 1;
  ensure(limited, 'max-tokens', 'max_tokens', 'must be a number of at least 1');
  ensure(Array.isArray(messages) && messages.length > 0, 'messages', 'messages', 'must be a non-empty array');
  const parsed = messages.map((message: unknown, index) => parseMessage(message, `messages[${index}]`));
  const flat = parsed.flatMap((parts, index) => parts.map((part) => ({ part, param: `messages[${index}]` })));
  checkCallPairing(
    flat.map(({ part }) => part),
    (index) => flat[index]?.param ?? 'messages',
  );
  const offered = checkTools(tools, toolDefinition);
  checkChoice(choice, tools, offered);
  const first: ModelMessage[] =
    system === undefined
      ? []
      : [{ role: 'system', text: contentText(system, systemParts, 'system'), content: system, toolCalls: [] }];
  return { model, stream: stream === true, messages: [...first, ...flat.map(({ part }) => part)], tools: offered };
}

function toolDefinition(tool: JsonObject, param: string): ToolDefinition | undefined {
  const { type, name, description, input_schema: parameters } = tool;
  const custom = type === undefined || type === 'custom';
  return custom ? { name, description, parameters, param, schemaMember: 'input_schema' } : undefined;
}

function checkChoice(choice: unknown, tools: unknown, offered: ParsedRequest['tools']): void {
  const given = isObject(choice) || choice === undefined;
  ensure(given, 'tool-choice', 'tool_choice', 'must be an object');
  checkToolChoice(choice, choice?.['type'] === 'tool' ? choice['name'] : undefined, tools, offered);
}

/**
 * Reads a message of Anthropic's, which can hold tool results and text: the tool messages come first, then the rest.
 */
function parseMessage(message: unknown, param: string): ModelMessage[] {
  ensure(isObject(message), 'messages', param, 'must be an object');
  const { role, content } = message;
  ensure(content !== '', 'content', `${param}.content`, 'must not be empty');
  switch (role) {
    case 'user':
      return parseUser(content, `${param}.content`);
    case 'assistant':
      return [parseAssistant(content, `${param}.content`)];
    default:
      ensure(false, 'role', `${param}.role`, `${JSON.stringify(role)} is neither 'user' nor 'assistant'`);
  }
}

function parseUser(content: unknown, param: string): ModelMessage[] {
  const text = contentText(content, userParts, param);
  if (!Array.isArray(content)) return [{ role: 'user', text, content, toolCalls: [] }];
  const blocks = content.filter(isObject);
  const results = blocks.filter((block) => block['type'] === 'tool_result');
  const leading = blocks.slice(0, results.length).every((block) => block['type'] === 'tool_result');
  ensure(leading, 'content-part', param, 'tool_result blocks must come before all others');
  const answers = results.map((block, index) => parseResult(block, `${param}[${index}]`));
  const rest = blocks.slice(results.length);
  return rest.length === 0 ? answers : [...answers, { role: 'user', text, content: rest, toolCalls: [] }];
}

function parseResult({ tool_use_id: id, content }: JsonObject, param: string): ModelMessage {
  ensure(typeof id === 'string' && id !== '', 'tool-call-id', `${param}.tool_use_id`, 'must be a non-empty string');
  const text = content === undefined ? '' : contentText(content, resultParts, `${param}.content`);
  return { role: 'tool', text, content, toolCalls: [], toolCallId: id };
}

function parseAssistant(content: unknown, param: string): ModelMessage {
  const text = contentText(content, assistantParts, param);
  const blocks = Array.isArray(content) ? content.filter(isObject) : [];
  const toolCalls = blocks.flatMap(({ type, id, name, input }, index) => {
    const place = `${param}[${index}]`;
    return type === 'tool_use' ? [checkCall(id, name, JSON.stringify(input), `${place}.id`, place)] : [];
  });
  const thinking = blocks.flatMap(({ type, thinking: thought, signature }, index) => {
    if (type !== 'thinking' || typeof thought !== 'string') return [];
    const genuine = signature === sealOf(thought);
    ensure(genuine, 'reasoning-signature', `${param}[${index}].signature`, 'invalid signature in thinking block');
    return [thought];
  });
  const reasoning = thinking.length === 0 ? {} : { reasoning: thinking.join('\n') };
  return { role: 'assistant', text, content, toolCalls, ...reasoning };
}
