import type { ToolCall, ToolCallContent, ToolCallStatus, ToolKind } from '@agentclientprotocol/sdk';
import { isAction, type Action } from '@conv/core/events';
import { argumentsOf, questionNotes, type CallItem } from '@conv/turns';

import { blocksOf, fenced, textBlock } from './content-blocks.ts';

type FileAction = Extract<Action, { readonly kind: 'FileEditorAction' }>;

/** Returns a call as an editor shows it, under the id of its action, by which a person approves it. */
export function toolCallOf(call: CallItem, workingDir: string): ToolCall {
  const { actionId: toolCallId, tool: name, action, decidedBy } = call;
  const path = isAction(action, 'FileEditorAction') ? absolute(action.path, workingDir) : undefined;
  return {
    toolCallId,
    name,
    title: titleOf(call),
    kind: kindOf(action),
    status: statusOf(call),
    content: contentOf(call, path),
    locations: path === undefined ? [] : [{ path, ...lineOf(action as FileAction) }],
    rawInput: argumentsOf(call),
    ...(decidedBy === undefined ? {} : { _meta: { 'conv/decidedBy': decidedBy } }),
  };
}

/** A person decides by the title, so it says what runs and not the purpose in the words of the model. */
function titleOf({ action, tool, summary }: CallItem): string {
  if (isAction(action, 'TerminalAction')) return action.command || tool;
  if (isAction(action, 'FileEditorAction')) return `${action.command} ${action.path}`;
  return summary === '' ? tool : `${tool}: ${summary}`;
}

function kindOf(action: Action | undefined): ToolKind {
  if (isAction(action, 'TerminalAction')) return 'execute';
  if (isAction(action, 'FileEditorAction')) return action.command === 'view' ? 'read' : 'edit';
  return isAction(action, 'ThinkAction') || isAction(action, 'TaskTrackerAction') ? 'think' : 'other';
}

function statusOf({ phase, result }: CallItem): ToolCallStatus {
  if (result) return result.outcome === 'output' ? 'completed' : 'failed';
  return phase === 'started' ? 'in_progress' : 'pending';
}

function contentOf(call: CallItem, path: string | undefined): ToolCallContent[] {
  const { action, phase, risk, result } = call;
  const change = isAction(action, 'FileEditorAction') ? diffOf(action, path ?? '') : [];
  if (phase === 'waiting') {
    const notes = questionNotes(call).join('; ');
    return [...change, contentBlock(`Risk ${risk}${notes === '' ? '' : `: ${notes}`}`)];
  }
  if (!result) return change;
  // the diff of an edit that went through says more than the result that the model reads
  if (change.length > 0 && result.outcome === 'output') return change;
  const isText = isAction(action, 'TerminalAction');
  const blocks = blocksOf(result.content).map((block) =>
    isText && block.type === 'text' ? textBlock(fenced(block.text)) : block,
  );
  return [...change, ...blocks.map((content): ToolCallContent => ({ type: 'content', content }))];
}

/** Returns text as the content of a call. */
export function contentBlock(text: string): ToolCallContent {
  return { type: 'content', content: textBlock(text) };
}

function diffOf({ command, file_text: created, old_str: before, new_str: after }: FileAction, path: string) {
  const diff = (oldText: string | null, newText: string): ToolCallContent[] => [
    { type: 'diff', path, oldText, newText },
  ];
  if (command === 'create') return diff(null, created ?? '');
  if (command === 'str_replace') return diff(before ?? '', after ?? '');
  return command === 'insert' ? diff('', after ?? '') : [];
}

function lineOf({ view_range: range, insert_line: inserted }: FileAction): { readonly line?: number } {
  const line = range?.[0] ?? inserted;
  return line === undefined || line === null ? {} : { line };
}

function absolute(path: string, workingDir: string): string {
  return /^(?:\/|[A-Za-z]:[\\/])/.test(path) ? path : `${workingDir.replace(/\/$/, '')}/${path}`;
}
