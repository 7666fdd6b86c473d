import { sandbox } from '@conv/sandbox';
import { terminal as plainTerminal } from '@conv/tools';

const confining = sandbox();

/** The terminal of `@conv/tools` in the default sandbox. */
export const terminal: typeof plainTerminal = (options = {}) => plainTerminal({ ...options, sandbox: confining });
