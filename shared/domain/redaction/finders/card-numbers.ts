/** Finds numbers of payment cards: written in groups, or where a word says that one comes. */
import type { SecretSpan } from '../text/marker.ts';
import { matchesOf } from '../text/matches.ts';

const GROUPED =
  /(?<![A-Za-z0-9.-])(?:(?:4\d{3}|5[1-5]\d{2}|2[2-7]\d{2}|6(?:011|5\d{2}))([ -])\d{4}\1\d{4}\1\d{4}|3[47]\d{2}([ -])\d{6}\2\d{5})(?![A-Za-z0-9-])/g;
const TOLD =
  /(?:card|visa|mastercard|amex|\bpan\b|\bcc)[^\n]{0,30}?[^A-Za-z0-9.-]((?:4\d{15}|5[1-5]\d{14}|2[2-7]\d{14}|6(?:011|5\d{2})\d{12}|3[47]\d{13}))(?![A-Za-z0-9-])/gi;

export function cardNumbers(text: string): SecretSpan[] {
  const grouped = matchesOf(text, GROUPED).map(({ 0: all, index }) => ({ start: index, end: index + all.length }));
  const told = matchesOf(text, TOLD).map(({ 0: all, 1: number = '', index }) => {
    const end = index + all.length;
    return { start: end - number.length, end };
  });
  return [...grouped, ...told]
    .filter(({ start, end }) => isCardNumber(text.slice(start, end)))
    .map((span) => ({ ...span, kind: 'card number' }));
}

/** By its check digit (ISO/IEC 7812-1). */
function isCardNumber(text: string): boolean {
  const digits = [...text.replaceAll(/\D/g, '')].toReversed().map(Number);
  const sum = digits.reduce(
    (total, digit, at) => total + (at % 2 ? (digit * 2 > 9 ? digit * 2 - 9 : digit * 2) : digit),
    0,
  );
  return digits.length >= 15 && sum % 10 === 0;
}
