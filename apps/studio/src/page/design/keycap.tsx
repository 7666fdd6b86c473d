import type { ReactElement } from 'react';

/** Shows the keys of a shortcut, such as `g l`. */
export function Keycap({ keys }: { readonly keys: string }): ReactElement {
  return (
    <span className="row">
      {keys.split(' ').map((key, index) => (
        <kbd key={index} className="keycap">
          {key}
        </kbd>
      ))}
    </span>
  );
}
