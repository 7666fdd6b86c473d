import '../conversation/conversation.css';
import './understand.css';
import type { Conversation } from '@conv/core';
import { timeline } from '@conv/visualize/timeline';
import { type ReactElement, useState } from 'react';
import { useLoaded } from '../conversation/use-loaded.ts';
import { amounts } from '../design/amounts.ts';
import { readPage } from '../window/read-page.ts';
import { BranchTree } from './branch-tree.tsx';
import { readReport } from './read-report.ts';
import type { Relative } from './relatives.ts';
import { RunCharts } from './run-charts.tsx';
import { SequenceDiagram } from './sequence-diagram.tsx';
import { SettingsPart } from './settings-part.tsx';

/** Events that are read at first. */
const FIRST = 5_000;

/** Events of the sequence diagram. */
const DIAGRAM = 120;

/** Properties of {@link UnderstandView}. */
export interface UnderstandViewProps {
  readonly conversation: Conversation;
  /** Goes to a path of this page. */
  readonly go: (path: string) => void;
  /** Conversations that came from this one, as far as the page knows them. */
  readonly relatives?: readonly Relative[];
}

/** Shows where time and money of a conversation went, how it ran, and what holds for it. */
export function UnderstandView({ conversation, go, relatives = NONE }: UnderstandViewProps): ReactElement {
  const [most, setMost] = useState(FIRST);
  const { value, failure, loading } = useLoaded(`${conversation.id} ${most}`, async (signal) => {
    const covered = await readReport(conversation, most, signal);
    const from = Math.max(0, conversation.events.length - DIAGRAM);
    const newest = await readPage(conversation.events, from, conversation.events.length);
    return { ...covered, blocks: timeline(newest) };
  });
  const toEvent = (event: number): void => go(`/c/${conversation.id}?e=${event}`);
  if (failure)
    return (
      <p role="alert" className="notice" data-tone="bad">
        The log cannot be read: {failure}
      </p>
    );
  if (!value) return <p className="cv-empty quiet">Reading the log …</p>;
  const { report, from, hasSteps, blocks } = value;
  return (
    <div
      className="un"
      aria-busy={loading}
      tabIndex={0}
      role="group"
      aria-label="Time, cost and course of the conversation"
    >
      <p>
        <button type="button" className="button" data-size="small" onClick={() => go(`/c/${conversation.id}`)}>
          Back to the timeline
        </button>
      </p>
      {from > 0 && (
        <p className="notice">
          The figures below are of the newest {amounts.count(report.events)} events, from event {amounts.count(from)}{' '}
          on.
          <button type="button" className="button" data-size="small" onClick={() => setMost(most * 10)}>
            {loading ? 'Reading …' : 'Read more'}
          </button>
        </p>
      )}
      {!hasSteps && (
        <p className="notice">This server does not give commits, so cost and tokens of single steps are unknown.</p>
      )}
      <RunCharts report={report} state={conversation.state} />
      <section>
        <h2>Course</h2>
        <SequenceDiagram blocks={blocks} onEvent={toEvent} />
      </section>
      <BranchTree conversation={conversation} relatives={withChildren(relatives, report.children)} go={go} />
      <SettingsPart conversation={conversation} hooks={report.hooks} />
    </div>
  );
}

const NONE: readonly Relative[] = [];

/** Adds the sub-agents that only results name, because the list does not have them. */
function withChildren(relatives: readonly Relative[], children: readonly string[]): readonly Relative[] {
  const known = new Set(relatives.map(({ id }) => id));
  const unknown = children.filter((id) => !known.has(id));
  return [...relatives, ...unknown.map((id): Relative => ({ id, name: id, kind: 'subagent', from: null }))];
}
