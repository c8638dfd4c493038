/** Tells which long names an 8.3 short name of Windows, such as `CREDEN~1`, may stand for. */

/** Windows leaves these out of a short name. */
const LEFT_OUT = /[ .]/g;
/** Such a name is its own short name. */
const SHORT = /^[^ .+,;=[\]]{1,8}(?:\.[^ .+,;=[\]]{1,3})?$/;
const ALIAS = /^([^~]{1,6})~(\d{1,2})(?:\.([^.]{1,3}))?$/;

const shortened = (text: string): string => text.replaceAll(LEFT_OUT, '');

/** The parts of a long name that its short name begins and ends with. */
function partsOf(name: string): { readonly start: string; readonly ending: string } {
  const dot = name.lastIndexOf('.');
  const [start, ending] = dot > 0 ? [name.slice(0, dot), name.slice(dot + 1)] : [name, ''];
  return { start: shortened(start).slice(0, 6), ending: shortened(ending).slice(0, 3) };
}

/** Whether the segment may be the short name of the name. Both are folded. */
export function isShortNameOf(segment: string, name: string): boolean {
  if (!segment.includes('~') || SHORT.test(name)) return false;
  const [, base, count = '', stated = ''] = ALIAS.exec(segment) ?? [];
  const { start, ending } = partsOf(name);
  // Eight characters in all: from the tenth file on one less stands before the number.
  return base === start.slice(0, 7 - count.length) && stated === ending;
}

/** The key that a long name and each of its short names share. */
export function shortKey(name: string): string {
  const tilde = name.indexOf('~');
  return (tilde < 0 ? partsOf(name).start : shortened(name.slice(0, tilde))).slice(0, 5);
}
