/**
 * Returns the text of a log of a container: frames with a stream's number, three zeros and a length in four bytes before each
 * piece. A cut frame ends the text.
 */
export function logText(bytes: Uint8Array): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const decoder = new TextDecoder();
  let text = '';
  for (let at = 0; at + 8 <= bytes.length;) {
    const end = at + 8 + view.getUint32(at + 4);
    text += decoder.decode(bytes.subarray(at + 8, end));
    at = end;
  }
  return text.trimEnd();
}
