/**
 * Conversations made visible.
 *
 * {@link TerminalVisualizer} shows a conversation while it happens: one calm block for each event. {@link sequenceDiagram}
 * and {@link eventTree} draw what happened as Mermaid diagrams, and {@link exportHtml} makes a page of it.
 *
 * @packageDocumentation
 */
export { eventTree, type EventTreeOptions } from './mermaid/event-tree.ts';
export { sequenceDiagram, type SequenceDiagramOptions } from './mermaid/sequence-diagram.ts';
export { exportHtml, type HtmlSource } from './page/export-html.ts';
export type { Highlight } from './text/highlight.ts';
export type { Style } from './text/span.ts';
export type { ColorMode, OutputStream } from './terminal/output-stream.ts';
export {
  TerminalVisualizer,
  type TerminalVisualizerOptions,
  type VisualizerMode,
} from './terminal/terminal-visualizer.ts';
