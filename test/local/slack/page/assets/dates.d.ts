/** Declares the types of dates.js, which the page and the push text of the server share. */
export function dateText(
  seconds: number,
  format: string,
  reader: { readonly now: number; readonly zone?: string | undefined; readonly fallback?: string | undefined },
): string;
