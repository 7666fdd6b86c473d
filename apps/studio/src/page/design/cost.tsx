import type { ReactElement } from 'react';

/** Returns US dollars as a person reads them: cents, and four digits below one cent. */
function dollars(cost: number): string {
  if (cost === 0) return '$0.00';
  if (cost < 0.0001) return '<$0.0001';
  return `$${cost.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: cost < 0.1 ? 4 : 2 })}`;
}

/** Shows a cost in US dollars. */
export function Cost({ of }: { readonly of: number }): ReactElement {
  return (
    <span className="numbers" title={`${of} US dollars`}>
      {dollars(of)}
    </span>
  );
}
