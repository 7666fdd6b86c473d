import { memo, type ReactElement, type ReactNode, useId } from 'react';
import { amount, duration } from '../text/amounts.ts';
import { plainLine, visibleText } from '../text/plain-text.ts';
import type { CallOutcome, ResultContent } from '../timeline/result-content.ts';
import type { CallBlock, TimelineBlock } from '../timeline/timeline-block.ts';
import { CallBody, ResultBody, Words } from './call-body.tsx';
import { Images } from './images.tsx';
import { MarkdownText } from './markdown-text.tsx';
import { TerminalText } from './terminal-text.tsx';

/** Properties of {@link BlockView}. */
export interface BlockViewProps {
  readonly block: TimelineBlock;
  /** Place and number of all blocks, for screen readers; counted from 1. */
  readonly place?: { readonly position: number; readonly of: number };
  /** True if the block is the chosen one. */
  readonly chosen?: boolean;
  /** Called when a person asks for the stored events of the block. */
  readonly onDetails?: (block: TimelineBlock) => void;
  /** Shown at the end of the block, such as buttons that decide on a call. */
  readonly children?: ReactNode;
}

/** Shows a block of the timeline. */
export const BlockView: React.NamedExoticComponent<BlockViewProps> = memo(function BlockView({
  block,
  place,
  chosen = false,
  onDetails,
  children,
}: BlockViewProps): ReactElement {
  const heading = useId();
  const head = headOf(block);
  return (
    <article
      className="conv-block"
      data-kind={block.kind}
      data-tone={head.tone}
      data-chosen={chosen || undefined}
      aria-labelledby={heading}
      aria-posinset={place?.position}
      aria-setsize={place?.of}
      tabIndex={chosen ? 0 : -1}
    >
      <header>
        <span className="conv-glyph" aria-hidden="true">
          {head.glyph}
        </span>
        <h3 id={heading}>{head.title}</h3>
        <span className="conv-facts">
          {head.facts.map((fact, index) => (
            <span key={index}>{fact}</span>
          ))}
        </span>
        <span className="conv-when">
          <time dateTime={block.timestamp} title={block.timestamp.replace('T', ' ')}>
            {block.timestamp.slice(11, 19)}
          </time>
          {onDetails && (
            <button type="button" className="conv-details" onClick={() => onDetails(block)}>
              #{block.index}
              <span className="conv-hidden"> stored event</span>
            </button>
          )}
        </span>
      </header>
      <div className="conv-body">{bodyOf(block)}</div>
      {children}
    </article>
  );
});

interface Head {
  readonly glyph: string;
  readonly tone?: 'good' | 'bad' | 'careful' | 'person' | 'agent';
  readonly title: ReactNode;
  readonly facts: readonly ReactNode[];
}

function headOf(block: TimelineBlock): Head {
  switch (block.kind) {
    case 'message': {
      const title = block.from === 'agent' ? 'Agent' : block.from === 'user' ? 'User' : 'Environment';
      const facts = block.sender === undefined ? [] : [plainLine(block.sender)];
      if (block.from === 'agent') return { glyph: '●', tone: 'agent', title, facts };
      return block.from === 'user' ? { glyph: '❯', tone: 'person', title, facts } : { glyph: '○', title, facts };
    }
    case 'call':
      return callHead(block);
    case 'error':
      return {
        glyph: '✗',
        tone: 'bad',
        title: `Error: ${plainLine(block.code)}`,
        facts: block.retryable ? ['may be tried again'] : [],
      };
    case 'condensation':
      return { glyph: '≡', title: 'Condensed', facts: [`${amount(block.hidden, 'event')} left out of the view`] };
    case 'hook':
      return {
        glyph: '↪',
        ...(block.outcome === 'ok' ? {} : { tone: 'careful' }),
        title: `Hook ${block.hook}`,
        facts: [plainLine(block.command), ...(block.outcome === 'ok' ? [] : [block.outcome])],
      };
    case 'notice':
      return { glyph: '·', title: plainLine(block.title), facts: isShort(block.text) ? [plainLine(block.text)] : [] };
  }
}

const OUTCOMES: Record<CallOutcome, { readonly glyph: string; readonly tone?: Head['tone']; readonly word?: string }> =
  {
    ok: { glyph: '✓', tone: 'good' },
    going: { glyph: '…', word: 'still running' },
    failed: { glyph: '✗', tone: 'bad', word: 'failed' },
    rejected: { glyph: '⊘', tone: 'careful', word: 'rejected' },
    blocked: { glyph: '⊘', tone: 'careful', word: 'blocked by a hook' },
    error: { glyph: '✗', tone: 'bad', word: 'error' },
  };

function callHead(block: CallBlock): Head {
  const { content, result, toolName, risk, took, summary } = block;
  const { glyph, tone, word } = result ? OUTCOMES[result.outcome] : { glyph: '◆', tone: 'agent' as const };
  const file = content?.kind === 'file' ? content : undefined;
  const name = file ? `${file.verb} ` : toolName === 'finish' ? 'Finished' : plainLine(toolName);
  const facts: ReactNode[] = [
    ...(summary === '' ? [] : [plainLine(summary)]),
    ...(risk === 'HIGH' || risk === 'MEDIUM' ? [<strong key="risk" data-risk={risk}>{`${risk} risk`}</strong>] : []),
    ...(content?.kind === 'invalid' ? ['invalid call'] : []),
    ...outcomeFacts(result, word),
    ...(took === undefined ? [] : [duration(took)]),
  ];
  return {
    glyph,
    ...(tone ? { tone } : {}),
    title: (
      <>
        {name}
        {file && <code>{visibleText(file.path)}</code>}
        {file?.range && ` lines ${file.range.join('–')}`}
      </>
    ),
    facts,
  };
}

function outcomeFacts(result: ResultContent | undefined, word: string | undefined): string[] {
  if (!result) return [];
  const failure = result.failure === undefined ? [] : [result.failure.replaceAll('_', ' ')];
  const exit = result.exitCode === undefined || result.exitCode < 0 ? [] : [`exit ${result.exitCode}`];
  return [...(word === undefined ? [] : [word]), ...failure, ...exit];
}

function bodyOf(block: TimelineBlock): ReactNode {
  switch (block.kind) {
    case 'message':
      return (
        <>
          <Reasoning text={block.reasoning} />
          {block.text !== '' && <MarkdownText text={block.text} />}
          <Images urls={block.images} />
        </>
      );
    case 'call': {
      const { content, result, reasoning, thought } = block;
      const saysAll = content?.kind === 'finish' || content?.kind === 'thought' || content?.kind === 'tasks';
      return (
        <>
          <Reasoning text={reasoning} />
          {thought !== '' && <MarkdownText text={thought} />}
          {content && (
            <CallBody content={content} changeShown={result?.outcome === 'ok' && result.change !== undefined} />
          )}
          {result && !(saysAll && result.outcome === 'ok') && (
            <ResultBody result={result} path={content?.kind === 'file' ? content.path : undefined} />
          )}
        </>
      );
    }
    case 'error':
      return <Words text={block.detail} />;
    case 'condensation':
      return block.summary === '' ? null : <Folded label="Summary" text={block.summary} />;
    case 'hook':
      return block.text === '' ? null : <TerminalText text={block.text} />;
    case 'notice':
      return isShort(block.text) ? null : <Folded label="Show" text={block.text} />;
  }
}

/** True for a text that fits beside the title of a notice. */
function isShort(text: string): boolean {
  return text.length <= 80 && !text.includes('\n');
}

function Reasoning({ text }: { readonly text: string }): ReactElement | null {
  return text === '' ? null : <Folded label="Reasoning" text={text} />;
}

function Folded({ label, text }: { readonly label: string; readonly text: string }): ReactElement {
  return (
    <details className="conv-folded">
      <summary>{label}</summary>
      <Words text={text} quiet />
    </details>
  );
}
