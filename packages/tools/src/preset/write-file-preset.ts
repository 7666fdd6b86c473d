import { text } from '@conv/core/tool';
import { z } from 'zod';

import { refuseMaskedText } from '../file-editor/masked-text.ts';
import { decodeText } from '../file-editor/text-file.ts';
import { withLineFeeds } from '../file-editor/line-endings.ts';
import type { Preset } from './preset-tool.ts';
import { keptText } from './workplace.ts';

const input = z.object({
  file_path: z.string().describe('The path of the file to write.'),
  content: z.string().describe('The whole content of the file.'),
});

/** Writes a whole file. */
export const writeFilePreset: Preset<typeof input> = {
  name: 'write_file',
  kind: 'WriteFile',
  description:
    'Writes a whole file: a new one, folders included, or in the place of all that the file held. Use `edit` for a small change of a file.',
  input,
  readOnly: false,
  file: ({ file_path: path }) => path,
  execute: ({ file_path: given, content }, workplace, context) =>
    workplace.answer(
      given,
      context,
      async (path) => {
        if (workplace.hasSecrets) refuseMaskedText('content', content);
        const before = await (async () => {
          await using file = await workplace.open(path, 'read', context.signal);
          return file && { text: decodeText(file.bytes)?.text };
        })();
        await workplace.write(path, Buffer.from(content), context.signal);
        const old = before?.text;
        return {
          content: text(`${before ? 'Updated' : 'Created'} file: ${path}`),
          fields: {
            file_path: path,
            is_new_file: !before,
            ...keptText('old_content', old === undefined ? undefined : workplace.shown(withLineFeeds(old))),
            ...keptText('new_content', workplace.shown(content)),
          },
        };
      },
      { fields: (path) => ({ file_path: path, is_new_file: false }) },
    ),
};
