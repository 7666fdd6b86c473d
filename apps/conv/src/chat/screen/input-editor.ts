import { CURSOR_MARKER, Editor, matchesKey, renderFakeCursor, type TUI, visibleWidth } from '@earendil-works/pi-tui';
import pc from 'picocolors';

import type { AreaContent } from './live-area.ts';
import type { Completion } from './chat-screen.ts';
import { CommandCompletions } from './completions.ts';
import { PASTE_END, PASTE_START } from './keyboard.ts';

/** Columns in front of the text, for the prompt. */
const MARGIN = 2;
/** Names of commands that are shown at once while they are completed. */
const SHOWN_COMPLETIONS = 6;
/**
 * Characters of a text from elsewhere that an input line cannot show, or that would reorder it: controls and format characters, but
 * joiners. The editor itself reads line ends and tabs of a paste.
 */
const HIDDEN = /[[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]--[\n\r\t\u200c\u200d]]/gv;

/** Options of {@link InputEditor}. */
export interface InputEditorOptions {
  readonly color: boolean;
  /** Rows of the terminal, asked at each use. */
  readonly rows: () => number;
  readonly completions: readonly Completion[];
  /** Called when the input looks different without a key, because a completion arrived. */
  readonly onChange: () => void;
  /** Called with the submitted text; not blank. */
  readonly onSubmit: (text: string) => void;
}

const ESCAPE = '\u001b';
const UP = '\u001b[A';
const DOWN = '\u001b[B';

/** Stands for an empty border row; no text of the editor equals it. */
const NO_BORDER = '\0';
/** The marks around the character that the editor paints as its cursor; the terminal has one of its own. */
const [CURSOR_START = '', CURSOR_END = ''] = renderFakeCursor('|').split('|');

/** The editor without its frame; it only shows the number of hidden lines. */
class FramelessEditor extends Editor {
  protected override renderTopBorder(_width: number, hidden: number): string {
    return hidden > 0 ? this.borderColor(`  ↑ ${hidden} more`) : NO_BORDER;
  }

  protected override renderBottomBorder(_width: number, hidden: number): string {
    return hidden > 0 ? this.borderColor(`  ↓ ${hidden} more`) : NO_BORDER;
  }
}

/** Several lines of input with the keys of a shell: wide characters, pastes, completion, undo, and the texts before. */
export class InputEditor {
  readonly #editor: FramelessEditor;
  readonly #options: InputEditorOptions;
  /** True if the last key moved in the list of completions. */
  #hasMoved = false;

  constructor(options: InputEditorOptions) {
    this.#options = options;
    const { dim, cyan, bold } = pc.createColors(options.color);
    const selectList = { selectedPrefix: cyan, selectedText: bold, description: dim, scrollInfo: dim, noMatch: dim };
    // the editor needs only these two of its host: the height, and a request to draw
    const surroundings = {
      terminal: {
        get rows() {
          return options.rows();
        },
      },
      requestRender: () => options.onChange(),
    };
    this.#editor = new FramelessEditor(
      surroundings as unknown as TUI,
      { borderColor: dim, selectList },
      { paddingX: MARGIN, autocompleteMaxVisible: SHOWN_COMPLETIONS },
    );
    this.#editor.focused = true;
    this.#editor.setAutocompleteProvider(new CommandCompletions(options.completions));
    this.#editor.onSubmit = (text) => {
      if (text !== '') options.onSubmit(text);
    };
  }

  /** The text so far, with pastes in full. */
  get text(): string {
    return this.#editor.getExpandedText();
  }

  set text(text: string) {
    this.#editor.setText(shown(text));
  }

  /** True while names are offered for completion, so that keys apply to the list. */
  get isCompleting(): boolean {
    return this.#editor.isShowingAutocomplete();
  }

  /** Adds a text that the arrow keys bring back, newer than those before. */
  remember(text: string): void {
    this.#editor.addToHistory(shown(text));
  }

  /** Handles a key. */
  press(key: string): void {
    const isMoving = matchesKey(key, 'up') || matchesKey(key, 'down');
    // a fully typed value is submitted as it is; only a value chosen in the list is inserted from it
    if (this.isCompleting && !this.#hasMoved && matchesKey(key, 'enter') && this.text.includes(' '))
      this.#editor.handleInput(ESCAPE);
    this.#hasMoved = this.isCompleting && isMoving;
    if (matchesKey(key, 'ctrl+p') && !this.isCompleting) this.#editor.handleInput(UP);
    else if (matchesKey(key, 'ctrl+n') && !this.isCompleting) this.#editor.handleInput(DOWN);
    else this.#editor.handleInput(key.startsWith(PASTE_START) ? pasted(key) : key);
  }

  /** Returns the rows for a width, with the place of the cursor. */
  render(columns: number): AreaContent {
    const rows = this.#editor.render(columns - 1).filter((row) => row !== NO_BORDER);
    const row = rows.findIndex((each) => each.includes(CURSOR_MARKER));
    const [before = ''] = (rows[row] ?? '').split(CURSOR_MARKER);
    const [first = '', ...rest] = rows.map(withoutCursor);
    const { green } = pc.createColors(this.#options.color);
    const head = rows[0]?.includes('↑ ') && row !== 0 ? first : `${green('❯')} ${first.slice(MARGIN)}`.trimEnd();
    return { rows: [head, ...rest], cursor: { row: Math.max(0, row), column: visibleWidth(before) } };
  }
}

function shown(text: string): string {
  return text.replace(HIDDEN, '').replaceAll('\t', '    ').replaceAll('\r', '');
}

function pasted(key: string): string {
  return PASTE_START + key.slice(PASTE_START.length, -PASTE_END.length).replace(HIDDEN, '') + PASTE_END;
}

function withoutCursor(row: string): string {
  return row.replace(CURSOR_MARKER, '').replace(CURSOR_START, '').replace(CURSOR_END, '').trimEnd();
}
