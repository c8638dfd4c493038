/** Packs a text of the record as bytes of raw DEFLATE (RFC 1951), and reads it from there. */

/** Loaded with the first text: most processes pack none. */
const zlib = () => process.getBuiltinModule('node:zlib');

/** A thousand bytes hold no longer text: DEFLATE makes at most 1,032 of one. Other bytes may be anything. */
const MAX_TEXT_BYTES = 1_048_576;

export const packedText = (text: string): Uint8Array => zlib().deflateRawSync(text, { level: 9 });

/** @throws Error for bytes that hold no text, or one of more than a megabyte */
export const unpackedText = (bytes: Uint8Array): string =>
  zlib().inflateRawSync(bytes, { maxOutputLength: MAX_TEXT_BYTES }).toString();
