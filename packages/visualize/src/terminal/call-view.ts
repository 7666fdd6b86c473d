import { amount, duration } from '../text/amounts.ts';
import { bounded, fold } from '../text/fold.ts';
import { type Line, type Span, span, textLines } from '../text/span.ts';
import type { CallContent, FileChange, TaskItem } from '../timeline/call-content.ts';
import { quoted, type Row, said } from './block.ts';
import { addedLines, type DiffView, diffView } from './diff-lines.ts';

export interface CallView {
  /** Parts for the head of the block, such as the path of an edit or a time limit. */
  readonly parts: readonly Line[];
  readonly rows: readonly Row[];
}

/** Returns the view of a tool call. Well-known tools have views of their own; the view of another tool is its arguments. */
export function callView(content: CallContent, limit: number): CallView {
  switch (content.kind) {
    case 'command':
      return commandView(content);
    case 'file':
      return fileView(content, limit);
    case 'tasks': {
      const { tasks } = content;
      return { parts: tasks.length > 0 ? [[span(amount(tasks.length, 'task'))]] : [], rows: taskRows(tasks) };
    }
    case 'thought':
      return { parts: [], rows: said(fold(textLines(content.text, 'dim'), limit)) };
    case 'finish':
      return { parts: [], rows: said(textLines(content.text)) };
    case 'invalid':
      return { parts: [[span('invalid call', 'yellow')]], rows: said([bounded([span(content.text, 'dim')])]) };
    case 'arguments':
      return { parts: [], rows: said(fold(content.entries.map(argumentLine), limit)) };
  }
}

/** Returns tasks with their state in front, so that colours add no information. */
export function taskRows(tasks: readonly TaskItem[]): Row[] {
  return tasks.flatMap(({ title, notes, status }) => {
    const mark: Span =
      status === 'done' ? span('[x]', 'green') : status === 'in_progress' ? span('[>]', 'yellow') : span('[ ]', 'dim');
    const text = span(title, ...(status === 'done' ? (['dim'] as const) : []));
    return said([[mark, span(' '), text], ...(notes === '' ? [] : [bounded([span(`    ${notes}`, 'dim')])])]);
  });
}

type ContentOfKind<Kind extends CallContent['kind']> = Extract<CallContent, { readonly kind: Kind }>;

function commandView({ command, isInput, restarts, timeout }: ContentOfKind<'command'>): CallView {
  const prompt = isInput ? '> ' : '$ ';
  const lines = textLines(command, 'bold').map((line, index): Line => [
    span(index === 0 ? prompt : '  ', 'dim'),
    ...line,
  ]);
  const parts: Line[] = [];
  if (isInput) parts.push([span('input')]);
  if (restarts) parts.push([span('restarts the terminal')]);
  if (timeout !== undefined) parts.push([span(`at most ${duration(timeout)}`)]);
  return { parts, rows: said(lines) };
}

function fileView({ verb, path, change, range, after }: ContentOfKind<'file'>, limit: number): CallView {
  const parts: Line[] = [[span(`${verb} `), span(path, 'bold')]];
  const view = change && changeView(change);
  if (view) parts.push(view.counts);
  if (range) parts.push([span(`lines ${range.join('–')}`)]);
  if (after !== undefined) parts.push([span(`after line ${after}`)]);
  return { parts, rows: quoted(fold(view?.lines ?? [], limit)) };
}

function changeView(change: FileChange): DiffView {
  return change.before === '' ? addedLines(change.after) : diffView(change);
}

function argumentLine([name, text]: readonly [string, string]): Line {
  const shown = text.includes('\n') ? JSON.stringify(text) : text;
  return [span(`${name}: `, 'cyan'), ...bounded([span(shown)])];
}
