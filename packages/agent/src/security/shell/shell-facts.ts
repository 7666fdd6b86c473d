import type { FindingId } from '../facts/findings.ts';
import { type Place, placeOf } from '../facts/places.ts';
import { MadeFiles } from './made-files.ts';
import { Variables } from './variables.ts';
import { NOTHING_KNOWN, type Output } from './word.ts';
import type { World } from './world.ts';

/** The deepest nesting that is followed, of scripts inside of scripts and of functions that call each other. */
const MAX_DEPTH = 12;
/** The most commands that are read for each 1,000 characters of an action; {@link MIN_COMMANDS} are always read. */
const COMMANDS_PER_THOUSAND = 700;
const MIN_COMMANDS = 2000;

/** The work that is left: commands to judge, and characters of scripts to read. */
export interface Budget {
  commands: number;
  characters: number;
}

/** The budget of an action of this many characters. */
export function budgetOf(length: number): Budget {
  return { commands: MIN_COMMANDS + (length * COMMANDS_PER_THOUSAND) / 1000, characters: 10_000 + 3 * length };
}

/** The facts of a shell: its variables, the files that it made, the findings so far, and the work that is left. */
export class ShellFacts {
  readonly world: World;
  readonly found: FindingId[] = [];
  readonly variables: Variables;
  /** True where commands have the rights of the administrator. */
  isRoot = false;
  readonly left: Budget;
  protected depth: number;
  #placed: { readonly path: string; readonly folder: string; readonly place: Place } | undefined;
  #made: MadeFiles | undefined;

  constructor(world: World, left: Budget, depth: number = 0) {
    this.world = world;
    this.variables = new Variables(world.home, world.workspace);
    this.left = left;
    this.depth = depth;
  }

  report(id: FindingId): void {
    if (!this.found.includes(id)) this.found.push(id);
  }

  place(path: string): Place {
    const { folder } = this.variables;
    // several rules ask about the same path, so the last place is kept
    if (this.#placed?.path !== path || this.#placed.folder !== folder)
      this.#placed = { path, folder, place: placeOf(path, folder, this.world) };
    return this.#placed.place;
  }

  /** Notes the content that the script itself has written into a file, or fetched into a folder. */
  make(path: string, output: Output): void {
    this.#made ??= new MadeFiles();
    this.#made.add(this.place(path), output);
  }

  /** Returns the content that the script itself has written into a file. */
  madeAt(path: string): Output | undefined {
    return this.#made?.at(this.place(path));
  }

  /** True if a file lies in a folder that the script itself has fetched. */
  isFetched(path: string): boolean {
    return this.#made?.isInFetched(this.place(path)) === true;
  }

  /** Takes work from the budget. Returns false, and reports that something is not read, if none is left. */
  protected spend(what: keyof Budget, amount: number): boolean {
    this.left[what] -= amount;
    if (this.left[what] >= 0) return true;
    this.report('unread');
    return false;
  }

  /** Does a work at the next level of scripts and commands. Reports a work that would be too deep, and leaves it out. */
  nested(work: () => Output): Output {
    if (this.depth >= MAX_DEPTH) {
      this.report('unread');
      return NOTHING_KNOWN;
    }
    this.depth += 1;
    const output = work();
    this.depth -= 1;
    return output;
  }
}
