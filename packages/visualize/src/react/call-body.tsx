import type { ReactElement } from 'react';
import { plainText, visibleText } from '../text/plain-text.ts';
import type { CallContent, TaskItem } from '../timeline/call-content.ts';
import type { ResultContent } from '../timeline/result-content.ts';
import { DiffTable } from './diff-table.tsx';
import { FoldedText } from './folded-text.tsx';
import { Images } from './images.tsx';
import { MarkdownText } from './markdown-text.tsx';
import { TerminalText } from './terminal-text.tsx';

/** Shows what a call asks for. A change of a file is left out when its result shows it. */
export function CallBody({
  content,
  changeShown,
}: {
  readonly content: CallContent;
  readonly changeShown: boolean;
}): ReactElement | null {
  switch (content.kind) {
    case 'command':
      return (
        <FoldedText text={content.command}>
          {(part) => (
            <pre className="conv-command" data-prompt={content.isInput ? '>' : '$'}>
              {visibleText(part)}
            </pre>
          )}
        </FoldedText>
      );
    case 'file':
      return content.change && !changeShown ? <DiffTable change={content.change} path={content.path} /> : null;
    case 'tasks':
      return <TaskList tasks={content.tasks} />;
    case 'thought':
      return <Words text={content.text} quiet />;
    case 'finish':
      return <MarkdownText text={content.text} />;
    case 'invalid':
      return <Raw text={content.text} />;
    case 'arguments':
      return content.entries.length === 0 ? null : (
        <dl className="conv-arguments">
          {content.entries.map(([name, text]) => (
            <div key={name}>
              <dt>{visibleText(name)}</dt>
              <dd>
                <Raw text={text} />
              </dd>
            </div>
          ))}
        </dl>
      );
  }
}

/** Shows the result of a call. */
export function ResultBody({
  result,
  path,
}: {
  readonly result: ResultContent;
  /** The path of the file that the call was about. */
  readonly path: string | undefined;
}): ReactElement | null {
  const { text, images, change, tasks, completeOutput } = result;
  if (change && result.outcome === 'ok') return <DiffTable change={change} {...(path === undefined ? {} : { path })} />;
  if (tasks && result.outcome === 'ok') return <TaskList tasks={tasks} />;
  if (text === '' && images.length === 0) return null;
  return (
    <>
      {text !== '' && <TerminalText text={text} />}
      <Images urls={images} />
      {completeOutput !== undefined && <p className="conv-quiet">Complete output in {visibleText(completeOutput)}</p>}
    </>
  );
}

/** Shows text that people and models write. */
export function Words({ text, quiet = false }: { readonly text: string; readonly quiet?: boolean }): ReactElement {
  return (
    <FoldedText text={text}>
      {(part) => <p className={quiet ? 'conv-words conv-quiet' : 'conv-words'}>{plainText(part)}</p>}
    </FoldedText>
  );
}

function Raw({ text }: { readonly text: string }): ReactElement {
  return <FoldedText text={text}>{(part) => <pre className="conv-output">{visibleText(part)}</pre>}</FoldedText>;
}

const STATUS_WORDS = { todo: 'to do', in_progress: 'in progress', done: 'done' } as const;

function TaskList({ tasks }: { readonly tasks: readonly TaskItem[] }): ReactElement {
  return (
    <ul className="conv-tasks">
      {tasks.map(({ title, notes, status }, index) => (
        <li key={index} data-status={status}>
          <span className="conv-hidden">{STATUS_WORDS[status]}: </span>
          {plainText(title)}
          {notes !== '' && <small>{plainText(notes)}</small>}
        </li>
      ))}
    </ul>
  );
}
