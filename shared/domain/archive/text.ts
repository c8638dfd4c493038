/** Reads the bytes of an object as text, so that two texts are equal only if their bytes are. */

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Stands for bytes that are no UTF-8: no object of the archive is this text. */
export const NO_TEXT = 'these bytes are no UTF-8';

/** A usual decoder drops a byte order mark and writes U+FFFD for what it cannot read: a change of such bytes would not be seen. */
export function textOfBytes(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    return NO_TEXT;
  }
}
