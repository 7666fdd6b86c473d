import { createContext, useContext, useEffect, useRef } from 'react';

/** A shortcut: keys such as `j` or `g l`, and what they do, for the sheet. */
export interface Shortcut {
  readonly keys: string;
  readonly label: string;
  readonly run: () => void;
  /** True to do it again and again while the key is held. */
  readonly repeats?: boolean;
}

const STORED = 'studio.shortcuts';
/** Milliseconds in which the second key of a sequence must follow. */
const SEQUENCE = 1200;

/** Text fields and lists of choices take letters themselves. */
const TAKES_LETTERS = 'input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable=true]';
/** While these are open, keys belong to them. */
const OVER_PAGE = '[role=dialog], [role=menu]';

/** The shortcuts of what is shown. Shortcuts of a single letter can be turned off, because speech input may press them. */
export class Shortcuts {
  readonly #all: Shortcut[] = [];
  #prefix = '';
  #prefixAt = 0;
  #on: boolean = localStorage.getItem(STORED) !== 'off';

  get on(): boolean {
    return this.#on;
  }

  set on(on: boolean) {
    this.#on = on;
    localStorage.setItem(STORED, on ? 'on' : 'off');
  }

  /** All shortcuts of what is shown, as the sheet lists them. */
  get all(): readonly Shortcut[] {
    return this.#all;
  }

  /** Adds a shortcut, before older ones of the same keys; the result removes it. */
  add(shortcut: Shortcut): () => void {
    this.#all.push(shortcut);
    return () => this.#all.splice(this.#all.indexOf(shortcut), 1);
  }

  /** Listens to the keys of the page. */
  start(): () => void {
    const pressed = (event: KeyboardEvent): void => this.#press(event);
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }

  #press(event: KeyboardEvent): void {
    const { key, target } = event;
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    if (document.querySelector(OVER_PAGE)) return;
    const writes = target instanceof Element && target.matches(TAKES_LETTERS);
    if (key !== 'Escape' && (writes || !this.#on)) return;
    if (writes) return leave(event);
    const keys = event.timeStamp - this.#prefixAt < SEQUENCE && this.#prefix !== '' ? `${this.#prefix} ${key}` : key;
    const found = this.#all.findLast((each) => each.keys === keys);
    this.#prefix = !found && this.#all.some((each) => each.keys.startsWith(`${keys} `)) ? keys : '';
    this.#prefixAt = event.timeStamp;
    if (!found) return;
    event.preventDefault();
    // a key that is held must not decide on one call after another
    if (event.repeat && found.repeats !== true) return;
    found.run();
  }
}

/** Leaves a field by Escape. Its text stays: browsers would empty a search field. */
function leave(event: KeyboardEvent): void {
  event.preventDefault();
  (event.target as HTMLElement).blur();
}

export const ShortcutsContext = createContext<Shortcuts>(new Shortcuts());

/** Adds a shortcut while the component is shown. `repeats`: do it again and again while the key is held. */
export function useShortcut(keys: string, label: string, run: () => void, repeats = false): void {
  const shortcuts = useContext(ShortcutsContext);
  const newest = useRef(run);
  useEffect(() => {
    newest.current = run;
  });
  useEffect(
    () => shortcuts.add({ keys, label, repeats, run: () => newest.current() }),
    [shortcuts, keys, label, repeats],
  );
}
