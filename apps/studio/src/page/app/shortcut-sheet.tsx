import { type ReactElement, useContext, useState } from 'react';
import { Button } from '../design/button.tsx';
import { Dialog } from '../design/dialog.tsx';
import { Keycap } from '../design/keycap.tsx';
import { ShortcutsContext } from './shortcuts.ts';

/** Properties of {@link ShortcutSheet}. */
export interface ShortcutSheetProps {
  readonly open: boolean;
  readonly onClose: () => void;
}

/** Lists the shortcuts of what is shown, and turns single letters on or off. */
export function ShortcutSheet({ open, onClose }: ShortcutSheetProps): ReactElement {
  const shortcuts = useContext(ShortcutsContext);
  const [on, setOn] = useState(shortcuts.on);
  const shown = [...new Map(shortcuts.all.map((each) => [each.keys, each])).values()];
  const change = (next: boolean): void => {
    shortcuts.on = next;
    setOn(next);
  };
  return (
    <Dialog open={open} onClose={onClose} title="Keyboard shortcuts" actions={<Button onClick={onClose}>Close</Button>}>
      <dl className="shortcut-sheet">
        {shown.map(({ keys, label }) => (
          <div key={keys} className="row">
            <dt className="grow">{label}</dt>
            <dd>
              <Keycap keys={keys} />
            </dd>
          </div>
        ))}
      </dl>
      <label className="row">
        <input type="checkbox" checked={on} onChange={(event) => change(event.target.checked)} />
        Use shortcuts of single letters
      </label>
    </Dialog>
  );
}
