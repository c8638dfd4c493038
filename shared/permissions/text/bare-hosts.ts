/** Finds hosts that a word names without a scheme: numbers, and names of metadata services. */
import { webAddress } from './web-address.ts';

/** A host as the word writes it, and as the URL parser reads it. */
interface BareHost {
  readonly written: string;
  readonly host: string;
}

const BREAKS = /[\s,;=@/?#&|"'()<>]+/;
/** As `inet_aton` reads it: `169.254.169.254`, `0xa9fea9fe`, `2852039166`. */
const IPV4 = /^(?:0x[\da-f]+|\d+)(?:\.(?:0x[\da-f]+|\d+)){0,3}\.?$/i;
/** A whole number that is shorter is a port, a count or a year. */
const MIN_NUMBER = 9;
const IPV6 = /^[\da-f]*:[\da-f]*:[\da-f:.]*$/i;
const METADATA_NAME =
  /^(?:metadata\.(?:google\.internal|goog|azure\.(?:com|internal))|instance-data\.ec2\.internal)\.*$/i;

/** `names`: any word with a dot counts as a name of a host, and not only that of a metadata service. */
export function bareHostsIn(text: string, names: boolean): readonly BareHost[] {
  if (!/\d|data/i.test(text) && !names) return [];
  return text
    .replace(/^-[a-z](?=[\d[])/i, '')
    .split(BREAKS)
    .flatMap((part) => {
      const within = part.includes('[') ? part.slice(part.indexOf('[') + 1).split(']')[0] : part;
      const whole = (within as string).split('%')[0] as string;
      if (IPV6.test(whole)) return hostOf(`[${whole}]`, whole);
      return part.split(':').flatMap((piece) => (isHost(piece, names) ? hostOf(piece, piece) : []));
    });
}

function isHost(piece: string, names: boolean): boolean {
  if (METADATA_NAME.test(piece)) return true;
  if (IPV4.test(piece)) return piece.includes('.') || piece.length >= MIN_NUMBER;
  return names && /^[a-z\d][\w-]*\.[\w.-]*$|^metadata$|^instance-data$/i.test(piece);
}

function hostOf(text: string, written: string): readonly BareHost[] {
  const host = webAddress(`http://${text}/`)?.host;
  return host === undefined ? [] : [{ written: written.toLowerCase(), host }];
}
