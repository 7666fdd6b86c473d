import { MarkdownText } from '@conv/visualize/react';
import { visibleText } from '@conv/visualize/text';
import { memo, type ReactElement } from 'react';
import type { LiveAnswer } from './answer-delta.ts';

/** Characters of the end of a call's arguments that are shown while they come. */
const TAIL = 600;

/** Shows an answer of the model while it comes. */
export const LiveAnswerView: React.NamedExoticComponent<{ readonly answer: LiveAnswer }> = memo(
  function LiveAnswerView({ answer }: { readonly answer: LiveAnswer }): ReactElement {
    const { text, reasoning, call, attempt, late } = answer;
    return (
      <article
        className="conv-block cv-live"
        data-kind="message"
        data-tone="agent"
        aria-label="Answer in progress"
        aria-busy="true"
      >
        <header>
          <span className="conv-glyph" aria-hidden="true">
            ●
          </span>
          <h3>Agent</h3>
          <span className="conv-facts">
            <span className="cv-writing">{call === '' ? 'is writing' : 'prepares a call'}</span>
            {attempt > 1 && <span>attempt {attempt}</span>}
            {late && <span>the beginning is shown when it is complete</span>}
          </span>
        </header>
        <div className="conv-body">
          {text === '' && reasoning !== '' && (
            <p className="conv-words conv-quiet">{visibleText(reasoning.slice(-TAIL))}</p>
          )}
          {text !== '' && <MarkdownText text={text} />}
          {call !== '' && <pre className="conv-output">{visibleText(call.slice(-TAIL).toWellFormed())}</pre>}
        </div>
      </article>
    );
  },
);
