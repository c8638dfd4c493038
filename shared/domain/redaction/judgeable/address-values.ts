/** Says whether people can judge an address although a secret was taken out of it. */
import { WEBHOOK_KIND } from '../text/marker.ts';
import { ENDS } from './command-values.ts';

/** In a value of a query, as of an address or JSON within it: `?next=%2Fx%3Ftoken%3D‹…›`. */
const IN_ESCAPES = /[?&#][^?&#=\s]{1,100}=[^?&#\s]{0,500}%(?:25){0,2}(?:3D|3A|20|22|27)$/i;

/** The first part of such a secret says whose address it is, and shows. */
const BEGINS = /[/=](?:bot[0-9]{6,12}:|[A-Za-z0-9_-]{6})?$/;

/** Whether a mark hides no more of an address than credentials, values of its query, or the secret of a webhook. */
export function inAddress(before: string, after: string, kind: string): boolean {
  const address = before.slice(before.lastIndexOf('://') + 3);
  if (!/[/?#]/.test(address)) return after === '@';
  if (kind === WEBHOOK_KIND || kind === 'telegram')
    return BEGINS.test(address) && (/[/?#]/.test(after) || ENDS.test(after));
  if (IN_ESCAPES.test(address)) return after === '%' || ENDS.test(after);
  return /[?&#][^?&#=\s]{1,100}=$/.test(address) && ENDS.test(after);
}
