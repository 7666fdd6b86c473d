import type { Model } from '../model.ts';

/** What of a model decides how a history is written for it. */
export type PromptTarget = Pick<Model, 'api' | 'name' | 'vision'>;
