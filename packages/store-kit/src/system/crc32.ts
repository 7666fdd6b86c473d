import type * as zlib from 'node:zlib';

let loaded: typeof zlib | undefined;

/**
 * Returns the CRC-32 of a content. Loads `node:zlib` for the first one, because importing it takes as long as importing one of
 * our packages.
 */
export const crc32: typeof zlib.crc32 = (content, before) => {
  loaded ??= process.getBuiltinModule('node:zlib');
  return loaded.crc32(content, before);
};
