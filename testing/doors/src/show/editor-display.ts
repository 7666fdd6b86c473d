import type { ContentBlock, SessionUpdate, ToolCallUpdate } from '@agentclientprotocol/sdk';
import type { TurnItem } from '@conv/turns';

import type { Said } from '../door/door.ts';
import { answerLines, callLine, condensationLine, imageLine, linesOf, OPEN, withoutRejection } from './lines-of.ts';

interface Row {
  readonly id: string;
  /** The lines of an item that the editor had from another client. */
  readonly lines?: readonly string[];
  readonly kind: 'user' | 'text' | 'reasoning' | 'call' | 'error';
  text: string;
  images?: readonly string[];
  call?: Partial<ToolCallUpdate>;
}

const KINDS = { user_message_chunk: 'user', agent_message_chunk: 'text', agent_thought_chunk: 'reasoning' } as const;

/** An editor that trusts what it is told: it writes chunks behind each other, and takes a message back that a mark declares void. */
export class EditorDisplay {
  /** The number of the last event that it has. */
  cursor = -1;
  #rows: Row[];
  /** The rows when the cursor moved last: what came since belongs to later events. */
  #settled: readonly Row[] = [];

  constructor(known: readonly TurnItem[], cursor: number) {
    this.#rows = known.map((item): Row => {
      const id = item.kind === 'call' ? `call ${item.actionId}` : item.id;
      return { id, lines: linesOf(item).map(withoutRejection), kind: item.kind === 'call' ? 'call' : 'text', text: '' };
    });
    this.settle(cursor);
  }

  /** Shows a message of its own person. */
  said({ text, image }: Said): void {
    const images = image === undefined ? [] : [image];
    this.#rows.push({ id: crypto.randomUUID(), kind: 'user', text, images });
  }

  take(update: SessionUpdate, cursor: number): void {
    const kind = update.sessionUpdate;
    if (kind === 'tool_call' || kind === 'tool_call_update') this.#call(update);
    else if (kind === 'user_message_chunk' || kind === 'agent_message_chunk' || kind === 'agent_thought_chunk') {
      const { _meta, content, messageId } = update;
      const code = _meta?.['conv/error'];
      const withdrawn = _meta?.['conv/withdrawn'] as { readonly id: string } | undefined;
      if (withdrawn) this.#rows = this.#rows.filter(({ id }) => this.#isSettled(id) || !id.startsWith(withdrawn.id));
      else if (typeof code === 'string') this.#rows.push({ id: messageId ?? '', kind: 'error', text: code });
      else this.#write(messageId ?? '', KINDS[kind], content);
    }
    if (cursor > this.cursor) this.settle(cursor);
  }

  /** Takes in that it has everything up to a cursor. */
  settle(cursor: number): void {
    this.cursor = cursor;
    this.#settled = this.#rows.map((row) => ({ ...row }));
  }

  /** Drops what it has of later events, as an editor does that lost its connection and comes back with its cursor. */
  lost(): void {
    this.#rows = this.#settled.map((row) => ({ ...row }));
  }

  lines(): readonly string[] {
    return this.#rows.flatMap(
      ({ lines, images = [], ...row }) => lines ?? [...linesOfRow(row), ...images.map(imageLine)],
    );
  }

  #isSettled(id: string): boolean {
    return this.#settled.some((row) => row.id === id);
  }

  #write(id: string, kind: Row['kind'], content: ContentBlock): void {
    let row = this.#rows.find((each) => each.id === id);
    if (!row) this.#rows.push((row = { id, kind, text: '' }));
    if (content.type === 'text') row.text += content.text;
    else row.images = [...(row.images ?? []), ...imagesIn(content)];
  }

  #call(call: ToolCallUpdate): void {
    const id = `call ${call.toolCallId}`;
    const at = this.#rows.findIndex((each) => each.id === id);
    const now = { ...this.#rows[at]?.call, ...call };
    const images = partsOf(now).flatMap(imagesIn);
    const row: Row = { id, kind: 'call', text: '', call: now, images };
    if (at >= 0) this.#rows[at] = row;
    else this.#rows.push(row);
  }
}

function linesOfRow({ kind, text, call = {} }: Pick<Row, 'kind' | 'text' | 'call'>): readonly string[] {
  if (kind === 'user' || kind === 'error') return [`${kind}: ${text}`];
  if (kind === 'call') return [callLine(String(call.toolCallId), String(call.name), call.rawInput, resultOf(call))];
  if (kind === 'text') return answerLines('', text);
  const [, summary] = /^\d+ events were summarized\. (.*)$/.exec(text) ?? [];
  return summary === undefined ? answerLines(text, '') : [condensationLine(summary)];
}

function resultOf(call: Partial<ToolCallUpdate>): string {
  const { status } = call;
  if (status !== 'completed' && status !== 'failed') return OPEN;
  const texts = partsOf(call).map((part) => (part.type === 'text' ? part.text : ''));
  return `${status === 'completed' ? 'output' : 'failed'} ${texts.join('')}`;
}

function partsOf({ content }: Partial<ToolCallUpdate>): readonly ContentBlock[] {
  return (content ?? []).flatMap((part) => (part.type === 'content' ? [part.content] : []));
}

function imagesIn(part: ContentBlock): readonly string[] {
  return part.type === 'image' ? [`data:${part.mimeType};base64,${part.data}`] : [];
}
