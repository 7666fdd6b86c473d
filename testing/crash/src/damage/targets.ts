import { folderTarget } from './folder-target.ts';
import type { DamageTarget } from './target.ts';

/** The stores that can be harmed, by the name that `--store` takes. */
export const TARGETS: { readonly fs: () => Promise<DamageTarget> } = { fs: folderTarget };
