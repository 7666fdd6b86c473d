import { joinedText } from '@conv/core/events';
import type { CallItem, TurnItem } from '@conv/turns';

/** A kind of line, which is its first word. */
export type LineKind = 'user' | 'text' | 'reasoning' | 'call' | 'error';

/** Returns what people see of an item, in words that are the same in every protocol. */
export function linesOf(item: TurnItem): readonly string[] {
  switch (item.kind) {
    case 'message':
      return [`${item.from}: ${joinedText(item.content)}`];
    case 'answer':
      return answerLines(item.reasoning, item.text);
    case 'call':
      return [callLine(item.actionId, item.tool, JSON.parse(item.input), resultOf(item))];
    case 'error':
      return [`error: ${item.code}`];
    case 'condensation':
      return [`condensation: ${item.summary}`];
  }
}

/** Returns the lines of an answer, complete or in progress. */
export function answerLines(reasoning: string, text: string): readonly string[] {
  return [...(reasoning === '' ? [] : [`reasoning: ${reasoning}`]), ...(text === '' ? [] : [`text: ${text}`])];
}

/** Returns the line of a call. */
export function callLine(actionId: string, tool: string, input: unknown, result: string): string {
  return `call ${actionId}: ${tool} ${JSON.stringify(input)}, ${result}`;
}

function resultOf({ result }: CallItem): string {
  return result ? `${result.outcome} ${joinedText(result.content)}` : 'open';
}
