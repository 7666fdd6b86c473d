import { isObject } from '../platform/json.ts';
import type { Event, EventDraft } from '../events/index.ts';
import { mapItems, mapMembers } from './map-same.ts';
import { maskJson, maskJsonText, type MaskText } from './mask-json.ts';

/** Fields that identify and link events, and fields that providers signed over: masking would make them useless. */
const STRUCTURAL: ReadonlySet<string> = new Set(
  (
    'id timestamp source parent_id kind tool_name tool_call_id action_id message_id llm_response_id hook_event_type risks ' +
    'rejection_source security_risk code classification usage_id model_name filename key activated_skills forgotten_event_ids'
  ).split(' '),
);

const KIND_ONLY: ReadonlySet<string> = new Set(['kind']);

type Members = Readonly<Record<string, unknown>>;
type MaskMember = (value: unknown, mask: MaskText) => unknown;

/** Members that need a mask of their own. */
const MEMBERS: Readonly<Record<string, MaskMember>> = {
  action: maskAction,
  observation: (value, mask) => maskJson(value, mask, { keep: KIND_ONLY }),
  tool_call: maskToolCall,
  tools: maskTools,
  llm_message: maskMessage,
  thinking_blocks: maskThinkingBlocks,
  responses_reasoning_item: maskReasoningItem,
  hook_input: (value, mask) => maskJson(value, mask, { numbers: true }),
  log_data: (value, mask) => (typeof value === 'string' ? maskJsonText(value, mask) : value),
};

const MESSAGE_KEPT: ReadonlySet<string> = new Set(['role', 'tool_call_id', 'name']);

/**
 * Returns the event with its content masked: messages, thoughts, arguments, observations, errors. Ids and links stay. Returns the
 * same object when nothing had to be masked.
 *
 * A signed thinking block that contained a value loses its signature, and an encrypted block is dropped, because no provider
 * accepts a changed block.
 */
export function maskEvent<E extends Event | EventDraft>(event: E, mask: MaskText): E {
  return maskMembers(event, mask, STRUCTURAL);
}

function maskMembers<Given extends object>(given: Given, mask: MaskText, keep: ReadonlySet<string>): Given {
  return mapMembers(given, (member, name) => {
    if (keep.has(name)) return member;
    return Object.hasOwn(MEMBERS, name) ? MEMBERS[name]?.(member, mask) : maskJson(member, mask);
  });
}

/** Masks an action. Numbers are masked only in the arguments of MCP tools; other actions have schemas that require numbers. */
function maskAction(action: unknown, mask: MaskText): unknown {
  if (!isObject(action) || action['kind'] !== 'MCPToolAction') return maskJson(action, mask, { keep: KIND_ONLY });
  return maskChanged(action, { data: maskJson(action['data'], mask, { numbers: true }) });
}

function maskMessage(message: unknown, mask: MaskText): unknown {
  if (!isObject(message)) return maskJson(message, mask);
  const calls = message['tool_calls'];
  const kept = calls === undefined || calls === null ? MESSAGE_KEPT : new Set([...MESSAGE_KEPT, 'tool_calls']);
  const masked = maskMembers(message, mask, kept);
  return Array.isArray(calls)
    ? maskChanged(masked, { tool_calls: mapItems<unknown>(calls, (call) => maskToolCall(call, mask)) })
    : masked;
}

function maskToolCall(call: unknown, mask: MaskText): unknown {
  if (!isObject(call) || typeof call['arguments'] !== 'string') return call;
  return maskChanged(call, { arguments: maskJsonText(call['arguments'], mask) });
}

/** Members that are not content: the names of a tool and its parameters, and the keywords of a schema. The rest is masked. */
const SCHEMA_KEPT: ReadonlySet<string> = new Set(['kind', 'type', '$ref', 'format', 'pattern', 'required', 'name']);

function maskTools(value: unknown, mask: MaskText): unknown {
  if (typeof value === 'string') return mask(value);
  if (Array.isArray(value)) return mapItems<unknown>(value, (item) => maskTools(item, mask));
  if (!isObject(value)) return value;
  return mapMembers(value, (member, name) => {
    // a parameter may have the name of a keyword
    const isKept = SCHEMA_KEPT.has(name) && (typeof member === 'string' || Array.isArray(member));
    return isKept ? member : maskTools(member, mask);
  });
}

function maskThinkingBlocks(blocks: unknown, mask: MaskText): unknown {
  if (!Array.isArray(blocks)) return blocks;
  const masked = mapItems<unknown>(blocks, (block) => maskThinking(block, mask));
  return masked === blocks ? blocks : masked.filter((block) => block !== undefined);
}

function maskThinking(block: unknown, mask: MaskText): unknown {
  if (!isObject(block)) return maskJson(block, mask);
  if (typeof block['data'] === 'string' && mask(block['data']) !== block['data']) return undefined;
  const { signature: _, ...unsigned } = block;
  const text = block['thinking'];
  if (typeof text !== 'string') return block;
  const masked = mask(text);
  return masked === text ? block : { ...unsigned, thinking: masked };
}

/** Drops the id and the encrypted content if the text changed, because they belong to the original text. */
function maskReasoningItem(item: unknown, mask: MaskText): unknown {
  if (!isObject(item)) return item;
  const { id: _, encrypted_content: sealed, ...rest } = item;
  const masked = maskJson(rest, mask);
  return masked === rest && !(typeof sealed === 'string' && mask(sealed) !== sealed) ? item : masked;
}

function maskChanged(object: Members, members: Members): Members {
  const changed = Object.entries(members).some(([name, value]) => object[name] !== value);
  return changed ? { ...object, ...members } : object;
}
