import { eventGuards, type ContentPart, type Event, isText } from '@conv/core/events';
import { toLlmMessage } from '@conv/openhands/messages';

/** Returns an event as text, for a record: the speaker, the texts, the calls with their arguments, the results. */
export function eventText(event: Event): string {
  if (!eventGuards.isLlmConvertible(event)) return '';
  const { content, tool_calls: calls = [] } = toLlmMessage(event);
  const said = content.map(partText).filter((text) => text !== '');
  const called = calls.map(({ name, arguments: args }) => `calls ${name} ${args}`);
  return `${speakerOf(event)}: ${[...said, ...called].join('\n')}`;
}

function speakerOf(event: Event): string {
  if ('tool_name' in event && event.kind !== 'ActionEvent') return `result of ${String(event.tool_name)}`;
  if (event.kind === 'CondensationSummaryEvent') return 'earlier notes';
  return event.source === 'user' ? 'user' : event.source === 'agent' ? 'agent' : 'surroundings';
}

function partText(part: ContentPart): string {
  if (isText(part)) return part.text;
  return part.image_urls.length === 1 ? '[an image]' : `[${part.image_urls.length} images]`;
}
