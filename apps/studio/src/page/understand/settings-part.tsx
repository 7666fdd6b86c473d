import type { Conversation } from '@conv/core';
import { plainLine, visibleText } from '@conv/visualize/text';
import type { ReactElement } from 'react';
import { amounts } from '../design/amounts.ts';
import { policyName } from '../act/policy-choice.tsx';
import { kindName } from '../time/kind-name.ts';
import type { RunReport } from './run-report.ts';

/** Shows what holds for a conversation: policy, analyzer, limits, hooks, secrets by name, damage. */
export function SettingsPart({
  conversation,
  hooks,
}: {
  readonly conversation: Conversation;
  readonly hooks: RunReport['hooks'];
}): ReactElement {
  const { state, settings } = conversation;
  const missing = settings.missingSecrets.map(({ name }) => name);
  const facts: readonly (readonly [string, string])[] = [
    ['Policy', policyName(state.confirmationPolicy)],
    ['Analyzer', kindName(state.securityAnalyzer)],
    ['Steps in a run', amounts.count(state.maxIterations)],
    ['Cost of a run', state.maxBudgetPerRun === null ? 'no limit' : amounts.dollars(state.maxBudgetPerRun)],
    ['Cost of all runs', state.maxBudget === null ? 'no limit' : amounts.dollars(state.maxBudget)],
    ['Detection of loops', state.stuckDetection ? 'on' : 'off'],
    ['Secrets', settings.secrets.map(({ name }) => name).join(', ') || 'none'],
    ...(missing.length > 0 ? [['Secrets without a value', missing.join(', ')] as const] : []),
  ];
  const configured = Object.keys(state.hookConfig ?? {});
  return (
    <section>
      <h2>Settings and health</h2>
      <dl className="cv-facts">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{visibleText(value)}</dd>
          </div>
        ))}
      </dl>
      <h3>Hooks</h3>
      <p>{configured.length === 0 ? 'No hooks.' : configured.map((name) => plainLine(name)).join(', ')}</p>
      {hooks.length > 0 && (
        <ul>
          {hooks.map(({ name, runs, blocked }) => (
            <li key={name} className="numbers">
              {plainLine(name)}: ran {amounts.of(runs, 'time')}, blocked {amounts.count(blocked)}
            </li>
          ))}
        </ul>
      )}
      <h3>Damage</h3>
      {conversation.damage.length === 0 && <p>The stored log is whole.</p>}
      {conversation.damage.length > 0 && (
        <ul aria-label="Damaged commits">
          {conversation.damage.map(({ from, to, reason, restored }) => (
            <li key={from}>
              {from === to ? `Commit ${from}` : `Commits ${from} to ${to}`}: {visibleText(reason)}
              {restored.length > 0 && ` (${amounts.of(restored.length, 'event')} restored from another copy)`}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
