/** Thrown for a patch that cannot be read or applied. The message is for the model. */
export class PatchError extends Error {}
