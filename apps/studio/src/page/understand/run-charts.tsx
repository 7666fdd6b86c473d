import type { ConversationView } from '@conv/core';
import { plainLine } from '@conv/visualize/text';
import type { ReactElement } from 'react';
import { amounts } from '../design/amounts.ts';
import { BarChart } from './bar-chart.tsx';
import type { Bar } from './join-bars.ts';
import type { ReportedStep, RunReport } from './run-report.ts';

/** Shows time, cost and tokens of steps, the times of tools, and waits for people. */
export function RunCharts({
  report,
  state,
}: {
  readonly report: RunReport;
  readonly state: ConversationView;
}): ReactElement {
  const { steps, tools, waits } = report;
  const bars = (values: (step: ReportedStep) => readonly number[]): readonly Bar[] =>
    steps.map((step) => ({ label: `event ${step.event}`, values: values(step) }));
  const waited = waits.reduce((sum, { took }) => sum + took, 0);
  return (
    <>
      <Totals state={state} steps={steps} waited={waited} />
      {steps.length > 0 && (
        <div className="un-charts">
          <BarChart
            title="Cost of each step"
            of="Step"
            parts={['cost']}
            bars={bars(({ record }) => [record.cost])}
            format={amounts.dollars}
          />
          <BarChart
            title="Time of each answer"
            of="Step"
            parts={['seconds']}
            bars={bars(({ record }) => [record.latency * 1000])}
            format={amounts.duration}
          />
          <BarChart
            title="Tokens of each step"
            of="Step"
            parts={['cached', 'read', 'written']}
            bars={bars(({ record: { promptTokens, cacheReadTokens, completionTokens } }) => [
              cacheReadTokens,
              Math.max(0, promptTokens - cacheReadTokens),
              completionTokens,
            ])}
            format={amounts.short}
          />
          {waits.length > 0 && (
            <BarChart
              title="Waits for people"
              of="Until"
              parts={['for a message', 'for approval']}
              bars={waits.map(({ event, kind, took }) => ({
                label: `event ${event}`,
                values: kind === 'message' ? [took, 0] : [0, took],
              }))}
              format={amounts.duration}
            />
          )}
        </div>
      )}
      {tools.length > 0 && (
        <section>
          <h2>Tools</h2>
          <div className="un-table" tabIndex={0} role="group" aria-label="Times of tools">
            <table>
              <thead>
                <tr>
                  <th scope="col">Tool</th>
                  <th scope="col">Calls</th>
                  <th scope="col">Failed</th>
                  <th scope="col">Total</th>
                  <th scope="col">Mean</th>
                  <th scope="col">Longest</th>
                </tr>
              </thead>
              <tbody>
                {tools.map(({ name, calls, failed, total, longest }) => (
                  <tr key={name}>
                    <th scope="row">{plainLine(name)}</th>
                    <td>{amounts.count(calls)}</td>
                    <td>{amounts.count(failed)}</td>
                    <td>
                      <meter min={0} max={Math.max(1, tools[0]?.total ?? 1)} value={total} aria-hidden="true" />{' '}
                      {amounts.duration(total)}
                    </td>
                    <td>{amounts.duration(total / calls)}</td>
                    <td>{amounts.duration(longest)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
          <p className="quiet small">Times run from the call to its result and include waits for approval.</p>
        </section>
      )}
    </>
  );
}

function Totals({
  state,
  steps,
  waited,
}: {
  readonly state: ConversationView;
  readonly steps: readonly ReportedStep[];
  readonly waited: number;
}): ReactElement {
  const usage = Object.values(state.stats);
  const sum = (value: (use: (typeof usage)[number]) => number): number =>
    usage.reduce((all, use) => all + value(use), 0);
  const facts: readonly (readonly [string, string])[] = [
    ['Cost', amounts.dollars(state.metrics.totalCost)],
    ['Requests of models', amounts.count(state.metrics.llmCallCount)],
    ['Tokens in', amounts.count(sum(({ promptTokens }) => promptTokens))],
    ['of these cached', amounts.count(sum(({ cacheReadTokens }) => cacheReadTokens))],
    ['Tokens out', amounts.count(sum(({ completionTokens }) => completionTokens))],
    ['Time of answers', amounts.duration(steps.reduce((all, { record }) => all + record.latency * 1000, 0))],
    ['Waited for people', amounts.duration(waited)],
  ];
  return (
    <section>
      <h2>In all</h2>
      <dl className="cv-facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
