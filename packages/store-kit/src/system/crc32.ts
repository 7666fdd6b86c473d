import type * as zlib from 'node:zlib';

let loaded: typeof zlib | undefined;

/** Returns the CRC-32 of a content. Loads `node:zlib` for the first one, because importing it costs as much as a package of ours. */
export const crc32: typeof zlib.crc32 = (content, before) => {
  loaded ??= process.getBuiltinModule('node:zlib');
  return loaded.crc32(content, before);
};
