import type { terminal as Terminal } from '../../src/index.ts';

/**
 * The terminal that the tests of this folder try. `CONV_TESTED_TERMINAL` is the address of a module with another one: the tests run a
 * second time in a sandbox, which this package does not know.
 */
const address: string | undefined = process.env['CONV_TESTED_TERMINAL'];

type Tested = { readonly terminal: typeof Terminal };

const tested = (await import(address ?? new URL('../../src/index.ts', import.meta.url).href)) as Tested;

export const terminal: Tested['terminal'] = tested.terminal;

/** True if the shell and its programs have numbers, a `/tmp` and a home of their own. */
export const isConfined: boolean = address !== undefined;
