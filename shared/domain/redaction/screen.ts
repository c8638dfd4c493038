/**
 * Screens out texts that hold nothing for the finders or the detector, cheaply.
 *
 * Such a text has no secret word, no long run of characters, no program that takes a secret and no credentials in an
 * address. A test holds that every text with a find passes the screen.
 */
import { folded } from './fold.ts';
import { SECRET_IN_OTHER_SCRIPTS } from './names.ts';
import { SECRET_OPTIONS } from './program-secrets.ts';

const SUSPECT =
  /pass|pwd|secret|token|auth|cred|cookie|jwt|bearer|basic|digest|negotiate|key|otp|cvv|cvc|-----BEGIN|redacted|(?<![A-Za-z0-9_+=-])[A-Za-z0-9_+=-]{16,}|xox|xapp|--?u(?:ser)?[ =]|--proxy-user|kennwort|contrase|senha|wachtwoord|haslo|heslo|jelszo|salasana|losenord|adgangskode|sifre|parola|lozinka|geslo|[?&;]x-|[?&;]sig|AGE-SEC|hv[sbr]\./i;
/** Built once, from the table of programs and from no input. */
const PROGRAMS = new RegExp(
  `(?<![A-Za-z0-9_-])(?:${[...SECRET_OPTIONS.keys()].map((name) => name.replaceAll('.', '\\.')).join('|')})(?:\\.exe)?(?![A-Za-z0-9_-])`,
  'i',
);
/** `config set NAME VALUE` */
const SETS = /\b(?:set|setx|setenv|put)\b/i;

/** Whether a program is named that takes secrets, or a word that sets one. */
export const mayNameProgram = (text: string): boolean => PROGRAMS.test(text) || SETS.test(text);

/** Cheaper than to look for the two together. */
const holdsAddress = (text: string): boolean => text.includes('://') && text.includes('@');

export function mayHoldSecret(text: string): boolean {
  if (holdsAddress(text) || SUSPECT.test(text) || PROGRAMS.test(text)) return true;
  const letters = folded(text)?.text;
  return (
    letters !== undefined && (SUSPECT.test(letters) || PROGRAMS.test(letters) || SECRET_IN_OTHER_SCRIPTS.test(text))
  );
}
