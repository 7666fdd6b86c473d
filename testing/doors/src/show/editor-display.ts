import type { SessionUpdate, ToolCallUpdate } from '@agentclientprotocol/sdk';
import type { TurnItem } from '@conv/turns';

import { answerLines, callLine, linesOf } from './lines-of.ts';

interface Row {
  readonly id: string;
  /** The lines of an item that the editor had from another client. */
  readonly lines?: readonly string[];
  readonly kind: 'user' | 'text' | 'reasoning' | 'call' | 'error';
  text: string;
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
      return { id, lines: linesOf(item), kind: item.kind === 'call' ? 'call' : 'text', text: '' };
    });
    this.settle(cursor);
  }

  /** Shows a message of its own person. */
  said(text: string): void {
    this.#rows.push({ id: crypto.randomUUID(), kind: 'user', text });
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
      else if (content.type === 'text') this.#write(messageId ?? '', KINDS[kind], content.text);
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
    return this.#rows.flatMap(({ lines, kind, text, call }) => {
      if (lines) return lines;
      if (kind === 'user' || kind === 'error') return [`${kind}: ${text}`];
      if (kind === 'call')
        return [callLine(String(call?.toolCallId), String(call?.name), call?.rawInput, resultOf(call ?? {}))];
      return kind === 'text' ? answerLines('', text) : answerLines(text, '');
    });
  }

  #isSettled(id: string): boolean {
    return this.#settled.some((row) => row.id === id);
  }

  #write(id: string, kind: Row['kind'], text: string): void {
    const row = this.#rows.find((each) => each.id === id);
    if (row) row.text += text;
    else this.#rows.push({ id, kind, text });
  }

  #call(call: ToolCallUpdate): void {
    const id = `call ${call.toolCallId}`;
    const at = this.#rows.findIndex((each) => each.id === id);
    const row: Row = { id, kind: 'call', text: '', call: { ...this.#rows[at]?.call, ...call } };
    if (at >= 0) this.#rows[at] = row;
    else this.#rows.push(row);
  }
}

function resultOf({ status, content }: Partial<ToolCallUpdate>): string {
  if (status !== 'completed' && status !== 'failed') return 'open';
  const texts = (content ?? []).map((part) =>
    part.type === 'content' && part.content.type === 'text' ? part.content.text : '',
  );
  return `${status === 'completed' ? 'output' : 'failed'} ${texts.join('')}`;
}
