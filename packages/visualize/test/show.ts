import type { Event } from '@conv/core/events';
import { TerminalVisualizer, type TerminalVisualizerOptions } from '../src/index.ts';
import { Sink } from './screen.ts';

/** Resolves with the text that a visualizer writes about these events. */
export async function show(events: readonly Event[], options: TerminalVisualizerOptions = {}): Promise<string> {
  const sink = new Sink();
  const visualizer = new TerminalVisualizer({ stream: sink, color: 'never', ...options });
  for (const event of events) await visualizer.onEvent(event);
  visualizer.close();
  return sink.text;
}

const colors = new RegExp(`${'\u001b'}\\[\\d{1,2}m`, 'g');

/** The same text without colour sequences. */
export function withoutColors(text: string): string {
  return text.replace(colors, '');
}

/** Makes colour sequences readable in a snapshot: `‹1›` for bold and so on. */
export function readableColors(text: string): string {
  return text.replaceAll('\u001b[', '‹').replace(/(‹[\d;]+)m/g, '$1›');
}
