import type { SessionUpdate } from '@agentclientprotocol/sdk';
import type {
  AnswerItem,
  CallItem,
  MessageItem,
  OutputChange,
  PieceChange,
  TurnChange,
  TurnItem,
  WithdrawnChange,
} from '@conv/turns';

import { blocksOf, fenced, textBlock } from './content-blocks.ts';
import { contentBlock, toolCallOf } from './tool-calls.ts';

/** Number of characters of a running tool's output that an editor is shown; the result has all of it. */
const SHOWN_OUTPUT = 10_000;

type Part = 'text' | 'reasoning';

/** Maps changes of a conversation to updates of a session. Independent of the order in which an editor came to see the conversation. */
export class SessionUpdates {
  readonly #workingDir: () => string;
  /** Pieces that were told of the answer in progress. */
  #open: { readonly id: string; readonly told: Record<Part, string> } | undefined;
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
    return change.type === 'item' ? this.item(change.item) : [];
  }

  /** Returns the updates of an item, which may have been told before. */
  item(item: TurnItem): readonly SessionUpdate[] {
    switch (item.kind) {
      case 'answer':
        return this.#answer(item);
      case 'call':
        return this.#call(item);
      case 'message':
        return messageUpdates(item);
      case 'condensation':
        return [thought(`${item.hidden} events were summarized. ${item.summary}`.trim(), item.id)];
      case 'error':
        return [{ ...chunk('text', `${item.code}: ${item.detail}`), messageId: item.id }];
    }
  }

  #piece({ id, part, text }: PieceChange): readonly SessionUpdate[] {
    if (this.#open?.id !== id) this.#open = { id, told: { text: '', reasoning: '' } };
    this.#open.told[part] += text;
    return [{ ...chunk(part, text), ...this.#messageId(id, part) }];
  }

  /** Editors cannot take a text back, so the text itself says that it is void; what replaces it is another message. */
  #withdraw({ id, reason }: WithdrawnChange): readonly SessionUpdate[] {
    const told = this.#open?.id === id ? this.#open.told : undefined;
    this.#open = undefined;
    if (!told || (told.text === '' && told.reasoning === '')) return [];
    const part: Part = told.text === '' ? 'reasoning' : 'text';
    const mark = {
      ...chunk(part, `\n\n[${VOID[reason]}]\n\n`),
      ...this.#messageId(id, part),
      _meta: { 'conv/withdrawn': { id, reason } },
    };
    this.#voids.set(id, (this.#voids.get(id) ?? 0) + 1);
    return [mark];
  }

  #answer(item: AnswerItem): readonly SessionUpdate[] {
    const { id } = item;
    const told = this.#open && (this.#open.id === id || this.#open.id === '') ? this.#open : undefined;
    const fits = told && item.text.startsWith(told.told.text) && item.reasoning.startsWith(told.told.reasoning);
    const void_ =
      this.#open && !fits
        ? this.#withdraw({ type: 'withdrawn', id: this.#open.id, reason: 'replaced', cursor: 0 })
        : [];
    this.#open = undefined;
    const as = fits ? told.id : id;
    const rest = (['reasoning', 'text'] as const).flatMap((part): SessionUpdate[] => {
      const text = item[part].slice(fits ? told.told[part].length : 0);
      return text === '' ? [] : [{ ...chunk(part, text), ...this.#messageId(as, part) }];
    });
    const images = blocksOf(item.content).filter(({ type }) => type !== 'text');
    const shown = images.map((content): SessionUpdate => ({
      sessionUpdate: 'agent_message_chunk',
      content,
      ...this.#messageId(as, 'text'),
    }));
    return [...void_, ...rest, ...shown];
  }

  #call(call: CallItem): readonly SessionUpdate[] {
    const { actionId, toolCallId, action, phase, result } = call;
    const known = this.#calls.get(actionId);
    // a finish call is told as the answer that it gives, unless a person or a hook has a say
    const isAnswer =
      action?.kind === 'FinishAction' && phase !== 'waiting' && (result?.outcome ?? 'output') === 'output';
    if (known === undefined && isAnswer) return [];
    const told = toolCallOf(call, this.#workingDir());
    const text = JSON.stringify([told.status, told.content]);
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

/** Returns a remark that is no answer of the agent. */
function thought(text: string, messageId: string): SessionUpdate {
  return { ...chunk('reasoning', text), messageId };
}

function chunk(part: Part, text: string) {
  const sessionUpdate = part === 'text' ? ('agent_message_chunk' as const) : ('agent_thought_chunk' as const);
  return { sessionUpdate, content: textBlock(text) };
}
