import { named } from './named.ts';
import { answer } from './objects.ts';
import { boolean } from './scalars.ts';

/** Answer of a command without a result. */
export const successSchema = named('Success', answer({ success: boolean().default(true) }));
