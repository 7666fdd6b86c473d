/**
 * Tools for agents: a terminal, a file editor and a task tracker.
 *
 * @packageDocumentation
 */
export { fileEditor, type FileEditorOptions } from './file-editor/file-editor.ts';
export { taskTracker } from './task-tracker/task-tracker.ts';
export { terminal, type TerminalOptions } from './terminal/terminal.ts';
