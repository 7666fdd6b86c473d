import { keptAs } from './objects.ts';
import { boolean } from './scalars.ts';

/** Answer of a command without a result. */
export const successSchema = keptAs('Success', { success: boolean().default(true) });
