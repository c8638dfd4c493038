/**
 * Screens out texts that hold nothing for the finders or the detector, cheaply.
 *
 * Such a text has no secret word, no long run of characters, no program that takes a secret and no credentials in an
 * address. A test holds that every text with a find passes the screen.
 */
import { SECRET_IN_OTHER_SCRIPTS } from './tables/names.ts';
import { PROGRAM_NAMES } from './tables/program-names.ts';
import { SETTERS } from './tables/setters.ts';
import { folded } from './text/fold.ts';

const SUSPECT =
  /pass|pw|hmac|hooks?[./]|getConnection|\.login|:(?:\d{4,5}|\*):|psk|secret|mnemonic|phrase|(?:seed|words)[ :=]|masterauth|(?:recovery|backup).?code|_pat(?![a-z])|A3-|identified|token|auth|cred|cookie|jwt|bearer|basic|digest|negotiate|key|otp|cvv|cvc|-----BEGIN|redacted|(?<![A-Za-z0-9_+=-])[A-Za-z0-9_+=-]{16,}|xox|xapp|--?u(?:ser)?[ =]|--proxy-user|kennwort|contrase|senha|wachtwoord|haslo|heslo|jelszo|salasana|losenord|adgangskode|sifre|parola|lozinka|geslo|[?&;]x-|[?&;]sig|AGE-SEC|hv[sbr]\.|\d{4}[ -]\d{4,6}[ -]\d{4}|(?:card|visa|amex|pan|cc).{0,30}\d{15}|@(?:tcp|unix)\(/i;
/** Built once, from the table of programs and from no input. */
const PROGRAMS = new RegExp(
  `(?<![A-Za-z0-9_-])(?:${[...PROGRAM_NAMES].map((name) => name.replaceAll('.', '\\.')).join('|')})(?:\\.exe)?(?![A-Za-z0-9_-])`,
  'i',
);
const SETS = new RegExp(`(?<![A-Za-z0-9_-])(?:${[...SETTERS].join('|')})(?![A-Za-z0-9_-])`, 'i');

/**
 * Long names of fields of the contract, and of what a model is asked: they look like a run of characters, and nothing is found in them. Without
 * them every action choice would load the detector.
 */
const FIELD_NAMES: ReadonlySet<string> = new Set([
  'idempotencyKey',
  'allowedDecisions',
  'available_actions',
  'current_verdicts',
  'enabling_verdicts',
  'missing_verdicts',
  'entry_operation_id',
  'affected_entities',
  'instance_bindings',
  'possible_transitions',
]);

/** Whether a program is named that takes secrets, or a word that sets one. */
export const mayNameProgram = (text: string): boolean => PROGRAMS.test(text) || SETS.test(text);

/** Cheaper than to look for the two together. */
const holdsAddress = (text: string): boolean => text.includes('://') && text.includes('@');

export function mayHoldSecret(text: string): boolean {
  if (FIELD_NAMES.has(text)) return false;
  if (holdsAddress(text) || SUSPECT.test(text) || PROGRAMS.test(text)) return true;
  const letters = folded(text)?.text;
  return (
    letters !== undefined && (SUSPECT.test(letters) || PROGRAMS.test(letters) || SECRET_IN_OTHER_SCRIPTS.test(text))
  );
}
