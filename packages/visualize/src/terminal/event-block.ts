import {
  eventGuards,
  type ActionEvent,
  type Event,
  isAction,
  type MessageEvent,
  type ObservationLikeEvent,
} from '@conv/core/events';
import { duration } from '../text/amounts.ts';
import { bounded, fold, foldedLines } from '../text/fold.ts';
import { type Line, span, textLines } from '../text/span.ts';
import { callContent } from '../timeline/call-content.ts';
import { reasoningOf, type Reasoning, summaryOf } from '../timeline/model-words.ts';
import { contentText } from '../timeline/result-content.ts';
import { aside, type Block, type Row, said } from './block.ts';
import { callView } from './call-view.ts';
import { noticeBlock, unknownBlock } from './notice-block.ts';
import type { AnsweredCall } from './open-calls.ts';
import { resultView, type ResultView } from './result-view.ts';
import { type Spending, type Spent, spentParts } from './spending.ts';

/** Returns a block for the cost of the model calls behind the block above, once known; `undefined` when it was nothing. */
export function costBlock(spending: Spending): Block | undefined {
  const parts = costParts(spending.takeNew());
  return parts.length === 0 ? undefined : { glyph: span('·', 'dim'), parts, rows: [], shape: 'attached' };
}

export interface BlockContext {
  /** The call that the event answers, if the visualizer saw it. */
  readonly answered: AnsweredCall | undefined;
  readonly spending: Spending;
  /** Lines of output that are shown before it is folded. */
  readonly limit: number;
  readonly above: string | undefined;
}

const REASONING_LINES = 4;

/** Returns the block of an event; `undefined` when it says nothing new. */
export function eventBlock(event: Event, context: BlockContext): Block | undefined {
  if (!eventGuards.isKnownEvent(event)) return unknownBlock(event);
  if (event.kind === 'MessageEvent') return messageBlock(event, context);
  if (event.kind === 'ActionEvent') return actionBlock(event, context);
  return eventGuards.isObservationLike(event) ? resultBlock(event, context) : noticeBlock(event, context.limit);
}

function messageBlock(event: MessageEvent, { limit, spending }: BlockContext): Block {
  const { llm_message: message, sender } = event;
  const text = contentText(message);
  if (event.source === 'agent') {
    const rows = [...reasoningRows(message, limit), ...said(textLines(text))];
    return { glyph: span('●', 'cyan'), parts: [agent, ...costParts(spending.takeNew())], rows, shape: 'full' };
  }
  const user = event.source === 'user';
  const parts: Line[] = [[span(event.source, 'bold', ...(user ? (['green'] as const) : []))]];
  if (typeof sender === 'string' && sender !== '') parts.push(bounded([span(sender)]));
  const rows = said(foldedLines(text, limit));
  return { glyph: user ? span('❯', 'green', 'bold') : span('○', 'dim'), parts, rows, shape: 'full' };
}

function actionBlock(event: ActionEvent, { limit, spending }: BlockContext): Block {
  const view = callView(callContent(event), limit);
  const parts: Line[] = [agent, bounded([span(event.tool_name, 'cyan')]), ...view.parts];
  const summary = summaryOf(event);
  if (summary !== '') parts.push(bounded([span(summary)]));
  if (event.security_risk === 'HIGH') parts.push([span('HIGH risk', 'red', 'bold')]);
  if (event.security_risk === 'MEDIUM') parts.push([span('MEDIUM risk', 'yellow', 'bold')]);
  const thought = event.thought.map(({ text }) => text).join('\n');
  const rows = [...reasoningRows(event, limit), ...said(textLines(thought)), ...view.rows];
  const glyph = isAction(event.action, 'FinishAction') ? span('●', 'cyan') : span('◆', 'cyan');
  return { glyph, parts: [...parts, ...costParts(spending.takeNew())], rows, shape: 'full' };
}

function resultBlock(
  event: ObservationLikeEvent,
  { above, answered, limit, spending }: BlockContext,
): Block | undefined {
  const view = resultView(event, answered !== undefined, limit);
  if (view.redundant) return undefined;
  const attached = answered !== undefined && answered.actionId === above;
  const name: Line[] = attached ? [] : [bounded([span(event.tool_name, 'bold')])];
  if (!attached && answered !== undefined && answered.title !== '') name.push([span(shorten(answered.title))]);
  const parts = [...name, ...view.parts];
  if (answered?.took !== undefined) parts.push([span(duration(answered.took), 'dim')]);
  if (answered !== undefined) parts.push(...costParts(spending.takeNewOfHelpers()));
  if (parts.length === 0) parts.push([span('done')]);
  return { glyph: outcomeGlyph(view.outcome), parts, rows: view.rows, shape: attached ? 'attached' : 'full' };
}

function outcomeGlyph(outcome: ResultView['outcome']): Block['glyph'] {
  if (outcome === 'ok') return span('✓', 'green');
  return outcome === 'failed' ? span('✗', 'red', 'bold') : span('⊘', 'yellow', 'bold');
}

function reasoningRows(from: Reasoning, limit: number): Row[] {
  return aside(fold(textLines(reasoningOf(from), 'dim'), Math.min(limit, REASONING_LINES)));
}

function costParts(spent: Spent): Line[] {
  return spentParts(spent).map((part) => [span(part, 'dim')]);
}

function shorten(title: string): string {
  return title.length <= 40 ? title : `${title.slice(0, 39).toWellFormed()}…`;
}

const agent: Line = [span('agent', 'bold', 'cyan')];
