import type { SessionUpdate } from '@agentclientprotocol/sdk';
import {
  isFinish,
  type AnswerItem,
  type CallItem,
  type ItemChange,
  type MessageItem,
  type OutputChange,
  type PieceChange,
  type TurnChange,
  type TurnItem,
  type WithdrawnChange,
} from '@conv/turns';

import { blocksOf, fenced, textBlock } from './content-blocks.ts';
import { contentBlock, toolCallOf } from './tool-calls.ts';

/** Number of characters of a running tool's output that an editor is shown; the result has all of it. */
const SHOWN_OUTPUT = 10_000;

type Part = 'text' | 'reasoning';

const UNTOLD = { text: 0, reasoning: 0 } as const;

/** Maps changes of a conversation to updates of a session. Independent of the order in which an editor came to see the conversation. */
export class SessionUpdates {
  readonly #workingDir: () => string;
  /** The part that a void answer in progress is marked in: its text, if pieces of it were told. */
  #said: Part = 'reasoning';
  /** The numbers of times that pieces of an answer became void. */
  readonly #voids = new Map<string, number>();
  /** The calls that were told, by action, and what is known of them. */
  readonly #calls = new Map<string, string>();
  /** The output of running calls, by the id that the model gave. */
  readonly #outputs = new Map<string, { readonly actionId: string; text: string }>();

  /** @param workingDir returns the folder of the conversation, which relative paths start from */
  constructor(workingDir: () => string) {
    this.#workingDir = workingDir;
  }

  /** Returns the updates of a change. */
  take(change: TurnChange): readonly SessionUpdate[] {
    if (change.type === 'piece') return this.#piece(change);
    if (change.type === 'withdrawn') return this.#withdraw(change);
    if (change.type === 'output') return this.#output(change);
    return change.type === 'item' ? this.item(change.item, change.streamed) : [];
  }

  /** Returns the updates of an item, whose answer was told in part or not at all. */
  item(item: TurnItem, streamed: ItemChange['streamed'] = UNTOLD): readonly SessionUpdate[] {
    if (item.kind === 'answer') return this.#answer(item, streamed);
    if (item.kind === 'call') return this.#call(item);
    if (item.kind === 'message') return messageUpdates(item);
    const { id: messageId } = item;
    if (item.kind === 'error')
      return [{ ...chunk('text', `${item.code}: ${item.detail}`), messageId, _meta: { 'conv/error': item.code } }];
    return [{ ...chunk('reasoning', `${item.hidden} events were summarized. ${item.summary}`.trim()), messageId }];
  }

  #piece({ id, part, text }: PieceChange): readonly SessionUpdate[] {
    if (part === 'text') this.#said = part;
    return [{ ...chunk(part, text), ...this.#messageId(id, part) }];
  }

  /** Editors cannot take a text back, so the text itself says that it is void; what replaces it is another message. */
  #withdraw({ id, reason }: WithdrawnChange): readonly SessionUpdate[] {
    const mark = chunk(this.#said, `\n\n[${VOID[reason]}]\n\n`);
    const messageId = this.#messageId(id, this.#said);
    this.#said = 'reasoning';
    this.#voids.set(id, (this.#voids.get(id) ?? 0) + 1);
    return [{ ...mark, ...messageId, _meta: { 'conv/withdrawn': { id, reason } } }];
  }

  #answer({ id, content, ...parts }: AnswerItem, streamed: ItemChange['streamed']): readonly SessionUpdate[] {
    this.#said = 'reasoning';
    const rest = (['reasoning', 'text'] as const).flatMap((part): SessionUpdate[] => {
      const text = parts[part].slice(streamed[part]);
      return text === '' ? [] : [{ ...chunk(part, text), ...this.#messageId(id, part) }];
    });
    const images = blocksOf(content).filter(({ type }) => type !== 'text');
    const messageId = this.#messageId(id, 'text');
    return [...rest, ...images.map((image) => ({ ...chunk('text', ''), content: image, ...messageId }))];
  }

  #call(call: CallItem): readonly SessionUpdate[] {
    const { actionId, toolCallId, result } = call;
    const known = this.#calls.get(actionId);
    if (known === undefined && isFinish(call)) return [];
    const told = toolCallOf(call, this.#workingDir());
    const text = JSON.stringify([told.status, told.content, call.decidedBy]);
    if (known === text) return [];
    this.#calls.set(actionId, text);
    if (result) this.#outputs.delete(toolCallId);
    else this.#outputs.set(toolCallId, { actionId, text: this.#outputs.get(toolCallId)?.text ?? '' });
    return [
      known === undefined ? { sessionUpdate: 'tool_call', ...told } : { sessionUpdate: 'tool_call_update', ...told },
    ];
  }

  #output({ toolCallId, text }: OutputChange): readonly SessionUpdate[] {
    const output = this.#outputs.get(toolCallId);
    if (!output) return [];
    output.text = (output.text + text).slice(-SHOWN_OUTPUT);
    const content = [contentBlock(fenced(output.text))];
    return [{ sessionUpdate: 'tool_call_update', toolCallId: output.actionId, status: 'in_progress', content }];
  }

  /** Servers that do not tell the id of an answer tell pieces without one. */
  #messageId(id: string, part: Part): { readonly messageId?: string } {
    if (id === '') return {};
    const voids = this.#voids.get(id) ?? 0;
    return { messageId: `${id}${part === 'reasoning' ? ':reasoning' : ''}${voids === 0 ? '' : `:${voids + 1}`}` };
  }
}

const VOID: Readonly<Record<WithdrawnChange['reason'], string>> = {
  retried: 'The text above is void: the model was asked again.',
  cancelled: 'The text above is void: the answer was interrupted.',
  failed: 'The text above is void: the model failed.',
  replaced: 'The text above is void: another answer came.',
  missed: 'The text above is incomplete: the whole answer follows.',
};

/** Returns what users and the environment said. */
function messageUpdates({ id, from, content }: MessageItem): readonly SessionUpdate[] {
  const sessionUpdate = from === 'user' ? 'user_message_chunk' : 'agent_thought_chunk';
  return blocksOf(content).map((block): SessionUpdate => ({ sessionUpdate, content: block, messageId: id }));
}

function chunk(part: Part, text: string) {
  const sessionUpdate = part === 'text' ? ('agent_message_chunk' as const) : ('agent_thought_chunk' as const);
  return { sessionUpdate, content: textBlock(text) };
}
