import { parseArgs } from 'node:util';

/** The help text of the command, printed for `--help`. */
export const USAGE: string = `Checks that a store keeps the contract of @conv/core, without a test runner.

  npx @conv/conformance ./my-store.ts [--only TEXT] [--json]

The module exports one of these, by its name or as its default:

  createStore(directory)   makes a store object whose data is in this folder. Called again with the same folder for
                           another store object on the same backend. May be async.
  harness                  { make(): Promise<StoreUnderTest>, waitTimeout?: milliseconds }, for every other backend and to
                           try a takeover; the types are in @conv/conformance.

  --only TEXT   only the cases whose names contain this
  --json        a line of JSON for each case, and one for all

Exits with 0 when every case holds, 1 when one does not, 2 when there was nothing to check.
`;

/** The arguments of the command line. */
export interface Command {
  /** The path of the module. */
  readonly file: string;
  readonly only: string;
  readonly json: boolean;
}

/** Reads the command line, or `help`. Throws `TypeError` for unknown options, and unless one module is named. */
export function parseCommand(args: readonly string[]): Command | 'help' {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      only: { type: 'string', default: '' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return 'help';
  const [file, ...rest] = positionals;
  if (file === undefined || rest.length > 0)
    throw new TypeError(`expected one module, such as ./my-store.ts; found ${positionals.length || 'none'}`);
  return { file, only: values.only, json: values.json };
}
