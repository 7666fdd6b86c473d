import { Menu as Base } from '@base-ui/react/menu';
import { type ReactElement, useRef } from 'react';
import { Icon, type IconName } from './icon.tsx';
import { Keycap } from './keycap.tsx';

/** An entry of a menu; `line` draws a line above it. */
export interface MenuEntry {
  readonly label: string;
  readonly icon?: IconName;
  readonly tone?: 'bad';
  readonly line?: boolean;
  /** The shortcut that does the same. */
  readonly shortcut?: string;
  /** The reason why it cannot be used now. */
  readonly unavailable?: string | null;
  readonly onSelect: () => void;
}

/** Properties of {@link Menu}. */
export interface MenuProps {
  /** The button that opens it. */
  readonly trigger: ReactElement<Record<string, unknown>>;
  readonly entries: readonly MenuEntry[];
}

/** A menu behind a button, reached by arrow keys and by first letters. */
export function Menu({ trigger, entries }: MenuProps): ReactElement {
  // beside its button, so that it belongs to the landmark of the button
  const place = useRef<HTMLSpanElement>(null);
  return (
    <Base.Root>
      <Base.Trigger render={trigger} />
      <span ref={place} className="menu-place" />
      <Base.Portal container={place}>
        <Base.Positioner className="menu-layer" positionMethod="fixed" sideOffset={4} align="end" collisionPadding={8}>
          <Base.Popup className="menu">
            {entries.map(({ label, icon, tone, line, shortcut, unavailable, onSelect }) => (
              <div key={label} role="none">
                {line && <div className="menu-line" role="separator" />}
                <Base.Item
                  className="menu-item"
                  data-tone={tone}
                  disabled={Boolean(unavailable)}
                  title={unavailable ?? undefined}
                  onClick={onSelect}
                >
                  {icon && <Icon name={icon} />}
                  {label}
                  {shortcut && <Keycap keys={shortcut} />}
                </Base.Item>
              </div>
            ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
