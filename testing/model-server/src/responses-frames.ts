import type { JsonObject } from './json.ts';
import type { SseFrame } from './sse-frame.ts';

/** An output item as it is in the end, and the chunks its text or arguments are streamed in. */
export interface OutputItem {
  readonly item: JsonObject;
  readonly chunks: readonly string[];
}

interface Event {
  readonly type: string;
  readonly [member: string]: unknown;
}

/** The stream of a response, from `response.created` to `response.completed` or `response.incomplete`. */
export function responsesFrames(items: readonly OutputItem[], started: JsonObject, finished: JsonObject): SseFrame[] {
  const events: Event[] = [
    { type: 'response.created', response: started },
    { type: 'response.in_progress', response: started },
    ...items.flatMap((output, index) => itemEvents(output, index)),
    { type: finished['status'] === 'incomplete' ? 'response.incomplete' : 'response.completed', response: finished },
  ];
  return events.map((event, index) => ({ event: event.type, data: { ...event, sequence_number: index } }));
}

function itemEvents({ item, chunks }: OutputItem, outputIndex: number): Event[] {
  const place = { item_id: item['id'], output_index: outputIndex };
  const [opening, inner] = innerEvents(item, chunks, place);
  return [
    { type: 'response.output_item.added', output_index: outputIndex, item: opening },
    ...inner,
    { type: 'response.output_item.done', output_index: outputIndex, item },
  ];
}

function innerEvents(item: JsonObject, chunks: readonly string[], place: JsonObject): [JsonObject, Event[]] {
  switch (item['type']) {
    case 'reasoning':
      return [{ ...item, summary: [] }, reasoningEvents(chunks, place)];
    case 'message':
      return [{ ...item, status: 'in_progress', content: [] }, textEvents(chunks, place)];
    default:
      return [{ ...item, status: 'in_progress', arguments: '' }, argumentEvents(chunks, place)];
  }
}

function reasoningEvents(chunks: readonly string[], place: JsonObject): Event[] {
  const at = { ...place, summary_index: 0 };
  const text = chunks.join('');
  const part = { type: 'summary_text', text };
  return [
    { type: 'response.reasoning_summary_part.added', ...at, part: { ...part, text: '' } },
    ...chunks.map((delta) => ({ type: 'response.reasoning_summary_text.delta', ...at, delta })),
    { type: 'response.reasoning_summary_text.done', ...at, text },
    { type: 'response.reasoning_summary_part.done', ...at, part },
  ];
}

function textEvents(chunks: readonly string[], place: JsonObject): Event[] {
  const at = { ...place, content_index: 0 };
  const text = chunks.join('');
  const part = { type: 'output_text', text, annotations: [], logprobs: [] };
  return [
    { type: 'response.content_part.added', ...at, part: { ...part, text: '' } },
    ...chunks.map((delta) => ({ type: 'response.output_text.delta', ...at, delta, logprobs: [] })),
    { type: 'response.output_text.done', ...at, text, logprobs: [] },
    { type: 'response.content_part.done', ...at, part },
  ];
}

function argumentEvents(chunks: readonly string[], place: JsonObject): Event[] {
  return [
    ...chunks.map((delta) => ({ type: 'response.function_call_arguments.delta', ...place, delta })),
    { type: 'response.function_call_arguments.done', ...place, arguments: chunks.join('') },
  ];
}
