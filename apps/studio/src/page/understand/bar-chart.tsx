import { type ReactElement, useId } from 'react';
import { type Bar, joinBars, sum } from './join-bars.ts';

/** Properties of {@link BarChart}. */
export interface BarChartProps {
  readonly title: string;
  /** The heading of the labels. */
  readonly of: string;
  /** Names of the parts of each bar. */
  readonly parts: readonly string[];
  readonly bars: readonly Bar[];
  readonly format: (value: number) => string;
}

/** Bars that are drawn; more of them are put together. */
const MOST = 120;
const [WIDTH, HEIGHT] = [720, 140];

/** Shows a chart of bars, and the same numbers as a table. */
export function BarChart({ title, of, parts, bars, format }: BarChartProps): ReactElement {
  const id = useId();
  const drawn = joinBars(bars, MOST);
  const highest = Math.max(...drawn.map(({ values }) => sum(values)), 0);
  const most = highest || 1;
  const width = WIDTH / Math.max(1, drawn.length);
  return (
    <figure className="un-chart" aria-labelledby={id}>
      <figcaption id={id}>
        <strong>{title}</strong>
        <span className="un-legend">
          {parts.length > 1 &&
            parts.map((part, place) => (
              <span key={part} data-part={place}>
                {part}
              </span>
            ))}
          <span className="quiet numbers">up to {format(highest)}</span>
        </span>
      </figcaption>
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        {drawn.map(({ label, values }, place) => {
          let below = 0;
          return values.map((value, part) => {
            const height = (value / most) * (HEIGHT - 2);
            below += height;
            return (
              <rect
                key={`${place} ${part}`}
                data-part={part}
                x={place * width + width * 0.1}
                y={HEIGHT - below}
                width={Math.max(1, Math.min(width * 0.8, 24))}
                height={height}
              >
                <title>{`${label}: ${parts[part] ?? ''} ${format(value)}`}</title>
              </rect>
            );
          });
        })}
      </svg>
      <details>
        <summary>As a table</summary>
        <div className="un-table" tabIndex={0} role="group" aria-label={title}>
          <table>
            <thead>
              <tr>
                <th scope="col">{of}</th>
                {parts.map((part) => (
                  <th key={part} scope="col">
                    {part}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {drawn.map(({ label, values }, place) => (
                <tr key={place}>
                  <th scope="row">{label}</th>
                  {values.map((value, part) => (
                    <td key={part}>{format(value)}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}
