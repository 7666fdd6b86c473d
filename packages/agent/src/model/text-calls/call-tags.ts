/** Begins a written call. */
export const BEGIN = '<function=';

/** Ends a written call. A model that stops there cannot go on with a result that it made up. */
export const END_OF_CALL = '</function>';

/** Ends the thinking of a model that writes it into its answer. */
export const THOUGHT_END = '</think>';
