import type { AutocompleteItem, AutocompleteProvider, AutocompleteSuggestions } from '@earendil-works/pi-tui';

import type { Completion } from './chat-screen.ts';

type Applied = ReturnType<AutocompleteProvider['applyCompletion']>;

const COMMAND = /^\/([a-z]*)$/;
const ARGUMENT = /^\/([a-z]+) +(\S*)$/;

/** Completes the names of commands at the start of the input, and the argument of a command that has a list of values. */
export class CommandCompletions implements AutocompleteProvider {
  readonly #commands: readonly Completion[];

  constructor(commands: readonly Completion[]) {
    this.#commands = commands;
  }

  async getSuggestions(lines: string[], line: number, column: number): Promise<AutocompleteSuggestions | null> {
    if (line > 0) return null;
    const before = (lines[0] ?? '').slice(0, column);
    const [, started] = COMMAND.exec(before) ?? [];
    if (started !== undefined) return suggestions(before, this.#namesFrom(started));
    const [, name, prefix = ''] = ARGUMENT.exec(before) ?? [];
    const values = (await this.#commands.find((command) => command.name === name)?.values?.()) ?? [];
    const fitting = values.filter(({ value }) => value.toLowerCase().includes(prefix.toLowerCase()));
    return suggestions(
      prefix,
      fitting.map(({ value, about }) => ({ value, label: value, ...(about && { description: about }) })),
    );
  }

  applyCompletion(lines: string[], line: number, column: number, item: AutocompleteItem, prefix: string): Applied {
    const text = lines[line] ?? '';
    const start = column - prefix.length;
    const end = item.value.startsWith('/') && this.#takesValue(item.value) ? `${item.value} ` : item.value;
    const completed = [...lines];
    completed[line] = text.slice(0, start) + end + text.slice(column).trimStart();
    return { lines: completed, cursorLine: line, cursorCol: start + end.length };
  }

  /** Refuses the completion of file names, which would be those of this machine. */
  shouldTriggerFileCompletion(lines: string[], line: number, column: number): boolean {
    return line === 0 && ARGUMENT.test((lines[0] ?? '').slice(0, column));
  }

  #namesFrom(started: string): AutocompleteItem[] {
    return this.#commands
      .filter(({ name }) => name.startsWith(started))
      .map(({ name, about }) => ({ value: `/${name}`, label: `/${name}`, description: about }));
  }

  #takesValue(command: string): boolean {
    return this.#commands.some(({ name, values }) => `/${name}` === command && values !== undefined);
  }
}

function suggestions(prefix: string, items: AutocompleteItem[]): AutocompleteSuggestions | null {
  return items.length === 0 ? null : { items, prefix };
}
