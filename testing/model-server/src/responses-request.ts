import type { ParsedRequest } from './endpoint.ts';
import { isObject, type JsonObject } from './json.ts';
import type { ModelMessage } from './model-request.ts';
import { parseItem } from './responses-items.ts';
import type { ResponsesStore } from './responses-store.ts';
import { ensure } from './rules.ts';
import { checkToolChoice, checkTools, type ToolDefinition } from './tool-rules.ts';

/** Reads a body of the Responses API; throws `RuleBroken` where OpenAI would answer 400. */
export function parseResponsesRequest(body: JsonObject, store: ResponsesStore): ParsedRequest {
  const { model, instructions, stream, tools, tool_choice: choice } = body;
  ensure(typeof model === 'string' && model !== '', 'model', 'model', 'must be a non-empty string');
  const items = resolveInput(body, store);
  ensure(items.length > 0, 'messages', 'input', 'must not be empty');
  const parsed = items.map(({ item, param }) => parseItem(item, param, (id) => store.item(id) !== undefined));
  checkIds(items);
  checkOutputs(parsed, items);
  checkReasoning(items, store);
  const offered = checkTools(tools, functionDefinition);
  const chosen = isObject(choice) && choice['type'] === 'function' ? choice['name'] : undefined;
  checkToolChoice(choice, chosen, tools, offered);
  const messages = mergeTurns(parsed);
  const first: ModelMessage[] =
    typeof instructions === 'string'
      ? [{ role: 'system', text: instructions, content: instructions, toolCalls: [] }]
      : [];
  return { model, stream: stream === true, messages: [...first, ...messages], tools: offered };
}

/** An input item with the place it came from. */
export interface PlacedItem {
  readonly item: JsonObject;
  readonly param: string;
}

/** The input with references and the previous response put in; throws `RuleBroken` for what is not stored. */
export function resolveInput(body: JsonObject, store: ResponsesStore): PlacedItem[] {
  const { input, previous_response_id: previous } = body;
  const given = typeof input === 'string' ? [{ role: 'user', content: input }] : input;
  ensure(Array.isArray(given), 'messages', 'input', 'must be a string or an array');
  const items = given.map((item: unknown, index) => resolveItem(item, `input[${index}]`, store));
  if (previous === undefined || previous === null) return items;
  const chain = typeof previous === 'string' ? store.chain(previous) : undefined;
  ensure(chain !== undefined, 'previous-response', 'previous_response_id', `${JSON.stringify(previous)} is not stored`);
  return [...chain.map((item) => ({ item, param: 'previous_response_id' })), ...items];
}

function resolveItem(item: unknown, param: string, store: ResponsesStore): PlacedItem {
  ensure(isObject(item), 'input-item', param, 'must be an object');
  if (item['type'] !== 'item_reference') return { item, param };
  const { id } = item;
  const stored = typeof id === 'string' ? store.item(id) : undefined;
  ensure(stored !== undefined, 'item-reference', `${param}.id`, `the item ${JSON.stringify(id)} is not stored`);
  return { item: stored, param };
}

function functionDefinition(tool: JsonObject, param: string): ToolDefinition | undefined {
  const { type, name, description, parameters } = tool;
  ensure(typeof type === 'string', 'tools', `${param}.type`, 'must be a string');
  return type === 'function' ? { name, description, parameters, param, schemaMember: 'parameters' } : undefined;
}

function checkIds(items: readonly PlacedItem[]): void {
  const seen = new Set<unknown>();
  for (const { item, param } of items) {
    const { id } = item;
    if (id === undefined || id === null) continue;
    ensure(!seen.has(id), 'item-id-unique', `${param}.id`, `the item ${JSON.stringify(id)} is given twice`);
    seen.add(id);
  }
}

function checkOutputs(messages: readonly ModelMessage[], items: readonly PlacedItem[]): void {
  const made = new Set<string>();
  const open = new Map<string, string>();
  messages.forEach((message, index) => {
    const param = items[index]?.param ?? 'input';
    for (const { id } of message.toolCalls) {
      ensure(!made.has(id), 'tool-call-id-unique', `${param}.call_id`, `the call id '${id}' was used before`);
      made.add(id);
      open.set(id, param);
    }
    const { toolCallId: id } = message;
    if (id === undefined) return;
    ensure(made.has(id), 'tool-result-orphan', `${param}.call_id`, `no function call '${id}' comes before this output`);
    ensure(open.delete(id), 'tool-result-twice', `${param}.call_id`, `the function call '${id}' has two outputs`);
  });
  for (const [id, param] of open)
    ensure(false, 'tool-call-unanswered', param, `the function call '${id}' has no output`);
}

function checkReasoning(items: readonly PlacedItem[], store: ResponsesStore): void {
  const before = new Set<unknown>();
  items.forEach(({ item, param }, index) => {
    const { id, type } = item;
    if (type === 'reasoning') {
      const next = items[index + 1]?.item;
      const follows = next !== undefined && (next['role'] === 'assistant' || isOutputType(next['type']));
      ensure(
        follows,
        'reasoning-alone',
        param,
        `the reasoning item ${JSON.stringify(id)} lacks the item that followed it`,
      );
    }
    const needed = typeof id === 'string' ? store.reasoningOf(id) : undefined;
    const present = needed === undefined || before.has(needed);
    ensure(present, 'reasoning-missing', param, `the item ${JSON.stringify(id)} lacks its reasoning item '${needed}'`);
    before.add(id);
  });
}

function isOutputType(type: unknown): boolean {
  return type === 'function_call' || type === 'reasoning';
}

/** Items of one model turn become one assistant message, as in Chat Completions. */
function mergeTurns(messages: readonly ModelMessage[]): ModelMessage[] {
  const merged: ModelMessage[] = [];
  for (const message of messages) {
    const last = merged.at(-1);
    if (last?.role !== 'assistant' || message.role !== 'assistant') merged.push(message);
    else merged[merged.length - 1] = joinTurns(last, message);
  }
  return merged;
}

function joinTurns(first: ModelMessage, second: ModelMessage): ModelMessage {
  const reasoning = [first.reasoning, second.reasoning].filter((text) => text !== undefined).join('\n');
  return {
    role: 'assistant',
    text: first.text + second.text,
    content: second.content ?? first.content,
    toolCalls: [...first.toolCalls, ...second.toolCalls],
    ...(reasoning === '' ? {} : { reasoning }),
  };
}
