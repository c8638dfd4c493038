/** Finds the hosts of the URLs in a text. */

/** Schemes whose second part names a store or a file, and no host. */
const STORES = /^(?:s3a?|gs|gcs|az|abfss?|wasbs?|file|oci|docker|containers-storage):$/;

/** As the platform's own parser reads them. */
export function hostsIn(text: string): string[] {
  return text.split(/[\s'"`<>()|;,]+/).flatMap((word) => {
    const start = startOfUrl(word);
    const url = start < 0 ? null : URL.parse(word.slice(start));
    return url?.host && !STORES.test(url.protocol) ? [url.host] : [];
  });
}

const IN_SCHEME = /[a-z0-9+.-]/i;
const STARTS_SCHEME = /[a-z]/i;

/** Where the first URL begins; -1 without one. To look for schemes from the left takes the square of a long word's time. */
function startOfUrl(word: string): number {
  for (let end = word.indexOf('://'); end >= 0; end = word.indexOf('://', end + 3)) {
    let start = end;
    while (start > 0 && IN_SCHEME.test(word.charAt(start - 1))) start--;
    while (start < end && !STARTS_SCHEME.test(word.charAt(start))) start++;
    if (start < end) return start;
  }
  return -1;
}
