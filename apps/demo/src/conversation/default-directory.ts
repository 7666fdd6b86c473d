/** The folder of conversations when no other one is named, relative to the folder that the program was started in. */
export const DEFAULT_DIRECTORY = 'workspace/conversations';
