import { checkCallPairing } from './call-pairing.ts';
import { contentText, hasText, type PartShapes } from './content-rules.ts';
import type { ParsedRequest } from './endpoint.ts';
import { isObject, type JsonObject } from './json.ts';
import type { ModelMessage, RequestedCall } from './model-request.ts';
import { ensure } from './rules.ts';
import { checkCall, checkToolChoice, checkTools, type ToolDefinition } from './tool-rules.ts';

const textOnly: PartShapes = { text: hasText };
const assistantParts: PartShapes = { text: hasText, refusal: ({ refusal }) => typeof refusal === 'string' };
const userParts: PartShapes = {
  text: hasText,
  image_url: ({ image_url: image }) => isObject(image) && typeof image['url'] === 'string',
  input_audio: ({ input_audio: audio }) =>
    isObject(audio) && typeof audio['data'] === 'string' && typeof audio['format'] === 'string',
  file: ({ file }) => isObject(file) && (typeof file['file_data'] === 'string' || typeof file['file_id'] === 'string'),
};

/** Reads a body of Chat Completions; throws `RuleBroken` where the provider would answer 400. */
export function parseChatRequest(body: JsonObject): ParsedRequest {
  const { model, messages, stream, stream_options: streamOptions, tools, tool_choice: choice } = body;
  ensure(typeof model === 'string' && model !== '', 'model', 'model', 'must be a non-empty string');
  ensure(Array.isArray(messages) && messages.length > 0, 'messages', 'messages', 'must be a non-empty array');
  const parsed = messages.map((message: unknown, index) => parseMessage(message, `messages[${index}]`));
  checkSystemFirst(parsed);
  checkCallPairing(parsed, (index) => `messages[${index}]`);
  const streaming = stream === true;
  const optionsAllowed = streaming || streamOptions === undefined || streamOptions === null;
  ensure(optionsAllowed, 'stream-options', 'stream_options', 'is only allowed when stream is true');
  const offered = checkTools(tools, functionDefinition);
  const chosen = isObject(choice) && isObject(choice['function']) ? choice['function']['name'] : undefined;
  checkToolChoice(choice, chosen, tools, offered);
  return { model, stream: streaming, messages: parsed, tools: offered };
}

function functionDefinition(tool: JsonObject, param: string): ToolDefinition {
  const { type, function: definition } = tool;
  ensure(type === 'function', 'tools', `${param}.type`, `must be 'function'`);
  ensure(isObject(definition), 'tools', `${param}.function`, 'must be an object');
  const { name, description, parameters } = definition;
  return { name, description, parameters, param: `${param}.function`, schemaMember: 'parameters' };
}

function parseMessage(message: unknown, param: string): ModelMessage {
  ensure(isObject(message), 'messages', param, 'must be an object');
  const { role, content } = message;
  switch (role) {
    case 'system':
    case 'developer':
      return { role: 'system', text: contentText(content, textOnly, `${param}.content`), content, toolCalls: [] };
    case 'user':
      return { role, text: contentText(content, userParts, `${param}.content`), content, toolCalls: [] };
    case 'assistant':
      return parseAssistant(message, param);
    case 'tool': {
      const { tool_call_id: id } = message;
      ensure(
        typeof id === 'string' && id !== '',
        'tool-call-id',
        `${param}.tool_call_id`,
        'must be a non-empty string',
      );
      const text = contentText(content, textOnly, `${param}.content`);
      return { role, text, content, toolCalls: [], toolCallId: id };
    }
    default:
      ensure(false, 'role', `${param}.role`, `${JSON.stringify(role)} is not a known role`);
  }
}

function parseAssistant(message: JsonObject, param: string): ModelMessage {
  const { content, refusal, reasoning_content: reasoning } = message;
  const toolCalls = parseCalls(message['tool_calls'], `${param}.tool_calls`);
  const absent = content === undefined || content === null;
  const text = absent ? '' : contentText(content, assistantParts, `${param}.content`);
  const says = text !== '' || Array.isArray(content) || typeof refusal === 'string';
  ensure(says || toolCalls.length > 0, 'assistant-empty', param, 'an assistant message needs content or tool_calls');
  return { role: 'assistant', text, content, toolCalls, ...(typeof reasoning === 'string' ? { reasoning } : {}) };
}

function parseCalls(toolCalls: unknown, param: string): RequestedCall[] {
  if (toolCalls === undefined || toolCalls === null) return [];
  ensure(
    Array.isArray(toolCalls) && toolCalls.length > 0,
    'tool-calls',
    param,
    'must be a non-empty array when present',
  );
  return toolCalls.map((toolCall: unknown, index) => {
    const place = `${param}[${index}]`;
    ensure(isObject(toolCall), 'tool-calls', place, 'must be an object');
    const { id, type, function: called } = toolCall;
    ensure(type === 'function', 'tool-calls', `${place}.type`, `must be 'function'`);
    ensure(isObject(called), 'tool-calls', `${place}.function`, 'must be an object');
    return checkCall(id, called['name'], called['arguments'], `${place}.id`, `${place}.function`);
  });
}

function checkSystemFirst(messages: readonly ModelMessage[]): void {
  const firstOther = messages.findIndex((message) => message.role !== 'system');
  const late = messages.findIndex(
    (message, index) => message.role === 'system' && firstOther !== -1 && index > firstOther,
  );
  ensure(late === -1, 'system-first', `messages[${late}].role`, 'system messages must come before all others');
}
