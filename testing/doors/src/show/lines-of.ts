import { isText, joinedText, type ContentPart } from '@conv/core/events';
import type { CallItem, TurnItem } from '@conv/turns';

/** A kind of line, which is its first word. */
export type LineKind = 'user' | 'text' | 'reasoning' | 'image' | 'call' | 'error' | 'condensation';

/** Returns what people see of an item, in words that are the same in every protocol. */
export function linesOf(item: TurnItem): readonly string[] {
  switch (item.kind) {
    case 'message':
      return [`${item.from}: ${joinedText(item.content)}`, ...imageLines(item.content)];
    case 'answer':
      return [...answerLines(item.reasoning, item.text), ...imageLines(item.content)];
    case 'call':
      return [
        callLine(item.actionId, item.tool, JSON.parse(item.input), resultOf(item)),
        ...imageLines(item.result?.content ?? []),
      ];
    case 'error':
      return [`error: ${item.code}`];
    case 'condensation':
      return [condensationLine(item.summary)];
  }
}

/** Returns the lines of an answer, complete or in progress. */
export function answerLines(reasoning: string, text: string): readonly string[] {
  return [...(reasoning === '' ? [] : [`reasoning: ${reasoning}`]), ...(text === '' ? [] : [`text: ${text}`])];
}

/** The result of a call without one. */
export const OPEN = 'open';

/** Returns the line of a call. */
export function callLine(actionId: string, tool: string, input: unknown, result: string): string {
  return `call ${actionId}: ${tool} ${JSON.stringify(input)}, ${result}`;
}

/** Returns a line as a protocol tells it in which a rejected call is a failed one. */
export function withoutRejection(line: string): string {
  return line.replace(/^(call .*), rejected /, '$1, failed ');
}

/** Returns the line of an image. */
export function imageLine(url: string): string {
  return `image: ${url}`;
}

/** Returns the line of a condensation. */
export function condensationLine(summary: string): string {
  return `condensation: ${summary}`;
}

function imageLines(content: readonly ContentPart[]): readonly string[] {
  return content.flatMap((part) => (isText(part) ? [] : part.image_urls.map(imageLine)));
}

function resultOf({ result }: CallItem): string {
  return result ? `${result.outcome} ${joinedText(result.content)}` : OPEN;
}
