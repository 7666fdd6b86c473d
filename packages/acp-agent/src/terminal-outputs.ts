import type { ToolCallContent, ToolCallUpdate } from '@agentclientprotocol/sdk/unstable';
import { isObject } from '@conv/core/platform';

/** Maximum characters of an output that are kept. An event shows fewer. */
const LONGEST = 4_000_000;

/**
 * The outputs of commands that a program runs in terminals of its own. The protocol has no member for them, so Codex sends the pieces in
 * `_meta.terminal_output_delta` of updates, and a tool call names the terminal alone.
 */
export class TerminalOutputs {
  readonly #outputs = new Map<string, string>();

  /** Keeps the piece of output in an update of a call. */
  add(toolCallId: string, meta: unknown): void {
    const piece = isObject(meta) ? meta['terminal_output_delta'] : undefined;
    const data = isObject(piece) ? piece['data'] : undefined;
    const before = this.#outputs.get(toolCallId) ?? '';
    if (typeof data === 'string' && before.length < LONGEST) this.#outputs.set(toolCallId, before + data);
  }

  /** Returns a call with the output in the place of its terminal. */
  shownIn(call: ToolCallUpdate): ToolCallUpdate {
    const output = this.#outputs.get(call.toolCallId);
    if (output === undefined) return call;
    const text: ToolCallContent = { type: 'content', content: { type: 'text', text: output } };
    return { ...call, content: (call.content ?? []).map((item) => (item.type === 'terminal' ? text : item)) };
  }
}
