/** Widths at which programs wrap base64. Where the line breaks are written as `\n`, each line has to be found by itself. */
const LINE_WIDTHS = [64, 76];

/**
 * Returns the base64 of bytes that are a part of other bytes. For each of the three alignments to groups of three bytes: the
 * characters that do not depend on neighbouring bytes, alone, and with the padded end of bytes that come last.
 */
export function base64Forms(bytes: Uint8Array): readonly string[] {
  const forms: string[] = [];
  for (const before of [0, 1, 2]) {
    const padded = Buffer.concat([new Uint8Array(before), bytes]);
    const encoded = padded.toString('base64');
    const first = Math.ceil((before * 8) / 6);
    forms.push(encoded.slice(first, Math.floor((padded.length * 8) / 6)), encoded.slice(first));
  }
  return [...forms, ...forms.map(urlSafe)];
}

/** The lines of wrapped base64 of these bytes alone. */
export function wrappedBase64(bytes: Uint8Array): readonly string[] {
  const encoded = Buffer.from(bytes).toString('base64');
  const lines = LINE_WIDTHS.flatMap((width) => {
    if (encoded.length <= width) return [];
    return Array.from({ length: Math.ceil(encoded.length / width) }, (_, line) =>
      encoded.slice(line * width, (line + 1) * width),
    );
  });
  return [...lines, ...lines.map(urlSafe)];
}

function urlSafe(base64: string): string {
  return base64.replaceAll('+', '-').replaceAll('/', '_');
}
