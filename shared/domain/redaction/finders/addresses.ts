/** Finds the credentials of addresses: `scheme://user:password@host`, `scheme://token@host`. */
import { type SecretSpan, UNSHOWN } from '../text/marker.ts';
import { matchesOf } from '../text/matches.ts';

/** An address ends where no address goes on. */
const ADDRESS = /:\/\/[^\s'"`<>]+/g;
const MAX_USERINFO = 16_384;

export function findCredentials(text: string): SecretSpan[] {
  const found: SecretSpan[] = [];
  for (const { 0: run, index } of matchesOf(text, ADDRESS)) {
    // `https://a/?next=https://b`: each begins one of its own.
    for (let at = 0; at >= 0; ) {
      const next = run.indexOf('://', at + 3);
      const end = Math.min(next < 0 ? run.length : next, at + 3 + MAX_USERINFO);
      found.push(...credentialsIn(run.slice(at + 3, end), index + at + 3));
      at = next;
    }
  }
  return found;
}

function credentialsIn(rest: string, start: number): SecretSpan[] {
  const path = rest.search(/[/?#]/);
  const authority = path < 0 ? rest : rest.slice(0, path);
  // Readers of addresses take the last one before a path.
  const at = authority.lastIndexOf('@');
  const colon = authority.indexOf(':');
  if (at >= 0) {
    const secret = colon >= 0 && colon < at ? colon + 1 : 0;
    const text = rest.slice(secret, at);
    // A name alone is a token if it is long: `https://ghp_…@host`, not `ssh://git@host`.
    const isSecret = secret > 0 ? text !== '' : text.length >= 16 && !/[.]/.test(text);
    return isSecret && !text.startsWith('$') ? [span(start, secret, at, 'password')] : [];
  }
  return passwordBeyondPath(rest, colon, start);
}

/**
 * `user:pa/ss@host`, `user:pa#ss@host`: a password that had to be escaped. A reader that goes by the RFC connects elsewhere, so that it counts as
 * hiding a host.
 */
function passwordBeyondPath(rest: string, colon: number, start: number): SecretSpan[] {
  const at = rest.lastIndexOf('@');
  if (colon <= 0 || at < colon + 2) return [];
  const secret = rest.slice(colon + 1, at);
  const isPort = /^\d{0,5}(?:[/?#]|$)/.test(secret);
  const isHost = /^[A-Za-z0-9-]{1,63}(?:[.:/?]|$)/.test(rest.slice(at + 1));
  if (isPort || !isHost || /[/?#]/.test(rest.slice(0, colon)) || secret.startsWith('$')) return [];
  return [span(start, colon + 1, at, `${UNSHOWN}password`)];
}

const span = (start: number, from: number, to: number, kind: string): SecretSpan => ({
  start: start + from,
  end: start + to,
  kind,
});
