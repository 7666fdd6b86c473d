/** The parts of an exported page, made by `build/viewer.mjs`. */

/** An ES module without imports. */
export declare const script: string;

export declare const style: string;
