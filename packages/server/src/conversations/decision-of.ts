import type { Decision } from '@conv/local';

import type { Caller } from '../auth/principal.ts';

/** Returns who decides, for the commit of the decision. Keys of the configuration have no name. */
export function decisionOf({ name }: Caller): Decision {
  return name === null ? {} : { by: name };
}
