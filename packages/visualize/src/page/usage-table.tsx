import type { ReactElement } from 'react';
import { dollars } from '../text/amounts.ts';
import { plainLine } from '../text/plain-text.ts';
import type { PageUsage } from './page-content.ts';

/** Shows what the models of a conversation cost. */
export function UsageTable({ usage }: { readonly usage: readonly PageUsage[] }): ReactElement | null {
  if (usage.length === 0) return null;
  return (
    <section>
      <h2>Models</h2>
      <table className="conv-usage">
        <thead>
          <tr>
            <th scope="col">Use</th>
            <th scope="col">Calls</th>
            <th scope="col">In</th>
            <th scope="col">Cached</th>
            <th scope="col">Out</th>
            <th scope="col">Cost</th>
          </tr>
        </thead>
        <tbody>
          {usage.map(({ usageId, model, calls, promptTokens, cacheReadTokens, completionTokens, cost }) => (
            <tr key={usageId}>
              <th scope="row">
                {plainLine(usageId)}
                <small>{plainLine(model)}</small>
              </th>
              <td>{calls}</td>
              <td>{promptTokens.toLocaleString('en-US')}</td>
              <td>{cacheReadTokens.toLocaleString('en-US')}</td>
              <td>{completionTokens.toLocaleString('en-US')}</td>
              <td>{dollars(cost)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
