const REFUSALS = /is an invalid header (?:name|value)|to a ByteString|invalid (?:header|character in header)/i;

/** True for the error with which `fetch` refuses a header, before anything is sent. Its text quotes the header, which may be a key. */
export function isUnsendableHeader(error: unknown): boolean {
  for (let current = error; current instanceof Error; current = current.cause)
    if (current instanceof TypeError && REFUSALS.test(current.message)) return true;
  return false;
}
