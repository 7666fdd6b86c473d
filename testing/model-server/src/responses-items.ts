import { contentText, hasText, type PartShapes } from './content-rules.ts';
import { isObject, type JsonObject } from './json.ts';
import type { ModelMessage } from './model-request.ts';
import { ensure } from './rules.ts';
import { isSealed } from './seal.ts';
import { checkCall } from './tool-rules.ts';

const hasUrlOrFile = (part: JsonObject): boolean =>
  ['image_url', 'file_url', 'file_data', 'file_id'].some((member) => typeof part[member] === 'string');
const inputParts: PartShapes = { input_text: hasText, input_image: hasUrlOrFile, input_file: hasUrlOrFile };
const systemParts: PartShapes = { input_text: hasText };
const assistantParts: PartShapes = { output_text: hasText, refusal: ({ refusal }) => typeof refusal === 'string' };

/** Checks one input item by itself and says what it adds to the history. */
export function parseItem(item: JsonObject, param: string, isStored: (id: string) => boolean): ModelMessage {
  const type = item['type'] ?? (item['role'] === undefined ? 'none' : 'message');
  switch (type) {
    case 'message':
      return parseMessage(item, param);
    case 'function_call': {
      checkItemId(item['id'], 'fc_', `${param}.id`);
      const { call_id: id, name, arguments: args } = item;
      const made = checkCall(id, name, args, `${param}.call_id`, param);
      return { role: 'assistant', text: '', content: null, toolCalls: [made] };
    }
    case 'function_call_output':
      return parseOutput(item, param);
    case 'reasoning':
      return parseReasoning(item, param, isStored);
    default:
      ensure(false, 'input-item', `${param}.type`, `${JSON.stringify(type)} is not a known item type`);
  }
}

/** Checks an item's optional id. */
function checkItemId(id: unknown, prefix: string, param: string): void {
  if (id === undefined || id === null) return;
  const fits = typeof id === 'string' && id.startsWith(prefix);
  ensure(fits, 'item-id', param, `${JSON.stringify(id)} must begin with '${prefix}'`);
}

function parseMessage(item: JsonObject, param: string): ModelMessage {
  const { role, content, id } = item;
  switch (role) {
    case 'system':
    case 'developer':
      return { role: 'system', text: contentText(content, systemParts, `${param}.content`), content, toolCalls: [] };
    case 'user':
      return { role, text: contentText(content, inputParts, `${param}.content`), content, toolCalls: [] };
    case 'assistant': {
      checkItemId(id, 'msg_', `${param}.id`);
      const text = contentText(content, assistantParts, `${param}.content`);
      ensure(content !== '', 'assistant-empty', param, 'an assistant message needs content');
      return { role, text, content, toolCalls: [] };
    }
    default:
      ensure(false, 'role', `${param}.role`, `${JSON.stringify(role)} is not a known role`);
  }
}

function parseOutput({ call_id: id, output }: JsonObject, param: string): ModelMessage {
  ensure(typeof id === 'string' && id !== '', 'tool-call-id', `${param}.call_id`, 'must be a non-empty string');
  const text = contentText(output, inputParts, `${param}.output`);
  return { role: 'tool', text, content: output, toolCalls: [], toolCallId: id };
}

function parseReasoning(item: JsonObject, param: string, isStored: (id: string) => boolean): ModelMessage {
  const { id, summary, encrypted_content: encrypted } = item;
  checkItemId(id, 'rs_', `${param}.id`);
  ensure(Array.isArray(summary), 'input-item', `${param}.summary`, 'must be an array');
  if (encrypted === undefined || encrypted === null) {
    const known = typeof id === 'string' && isStored(id);
    ensure(
      known,
      'item-reference',
      `${param}.id`,
      `the item ${JSON.stringify(id)} is not stored and has no encrypted_content`,
    );
  } else {
    const genuine = typeof encrypted === 'string' && isSealed(encrypted);
    ensure(genuine, 'reasoning-signature', `${param}.encrypted_content`, 'could not be verified');
  }
  const reasoning = summary.map((part: unknown) =>
    isObject(part) && typeof part['text'] === 'string' ? part['text'] : '',
  );
  return { role: 'assistant', text: '', content: null, toolCalls: [], reasoning: reasoning.join('\n') };
}
