/**
 * Conversations as React components. Import `@conv/visualize/react/style.css` beside them.
 *
 * @packageDocumentation
 */
export { BlockView, type BlockViewProps } from './block-view.tsx';
export { CodeText } from './code-text.tsx';
export { DiffTable, type DiffTableProps } from './diff-table.tsx';
export { FoldedText } from './folded-text.tsx';
export { MarkdownText } from './markdown-text.tsx';
export { TerminalText } from './terminal-text.tsx';
export { TimelineList, type TimelineListProps } from './timeline-list.tsx';
