/** Reads the words of the command that a text ends in, and its program. */
import { withoutStarters } from '../tables/starters.ts';

/** A word of a command line. */
export interface Word {
  readonly start: number;
  /** Without the quotes around the whole of it. */
  readonly text: string;
}

/** The words of the command that the text ends in. */
export const commandOf = (before: string): string[] =>
  (before.split(/[;&|\n()]/).at(-1) ?? '').split(/\s+/).filter(Boolean);

/** The program that starts the command. */
export const programOf = (words: readonly string[]): string => nameIn(withoutStarters(words)[0] ?? '');

export const nameIn = (word: string): string => word.slice(word.lastIndexOf('/') + 1).toLowerCase();

/** The program that gets the words: of `docker exec db mysql -p…` it is `mysql`, and no shell stands between. */
export const programRun = (words: readonly string[]): string => programOf(wordsRun(words));

/** The words from that program on. */
export const wordsRun = (words: readonly string[]): readonly string[] => withoutExec(withoutStarters(words));

/** Programs that run the words behind a container's name, and those that run the words behind `--`. */
const CONTAINERS = /^(?:docker|podman|nerdctl)(?:-compose)?$/;
const PODS = /^(?:kubectl|oc)$/;
/** Options before `exec` whose next word is their value, and those that take none. Another one may take `exec` itself. */
const GLOBAL_VALUED =
  /^(?:-[Hcfnps]|--(?:as|cluster|config|context|env-file|file|host|kubeconfig|namespace|profile|project-directory|project-name|server|user))$/;
const GLOBAL = /^(?:-D|--(?:debug|tls|tlsverify|compatibility|insecure-skip-tls-verify|[a-z-]{2,40}=.*))$/;
/** The same behind `exec`. Of `-ue` the user is `e`, and of `podman exec -l` no container follows. */
const EXEC_VALUED = /^(?:-[dit]{0,4}[euw]|--(?:env|env-file|user|workdir|detach-keys|index))$/;
const EXEC = /^(?:-[ditT]{1,4}|--(?:detach|interactive|tty|no-tty|no-TTY|privileged|[a-z-]{2,40}=.*))$/;
/** Before `--` it would be the value of such an option. */
const POD_VALUED = /^(?:-[A-Za-z]{0,4}[cfn]|--(?:container|filename|namespace|pod-running-timeout))$/;

function withoutExec(words: readonly string[]): readonly string[] {
  const program = nameIn(words[0] ?? '');
  const isPod = PODS.test(program);
  const at = isPod || CONTAINERS.test(program) ? words.indexOf('exec') : -1;
  if (at < 1 || !areOptions(words.slice(1, at), GLOBAL_VALUED, GLOBAL)) return words;
  if (isPod) {
    const dashes = words.indexOf('--', at);
    return dashes < 0 || POD_VALUED.test(words[dashes - 1] ?? '') ? words : words.slice(dashes + 1);
  }
  let next = at + 1;
  while (words[next]?.startsWith('-')) next += EXEC_VALUED.test(words[next] ?? '') ? 2 : 1;
  return areOptions(words.slice(at + 1, next), EXEC_VALUED, EXEC) ? words.slice(next + 1) : words;
}

/** Whether the words are such options alone, each with its value. */
function areOptions(words: readonly string[], valued: RegExp, alone: RegExp): boolean {
  let at = 0;
  while (at < words.length) {
    const word = words[at] ?? '';
    if (valued.test(word)) at++;
    else if (!alone.test(word) && word !== 'compose') return false;
    at++;
  }
  return at === words.length;
}

/** Behind any of these a quote may open and close elsewhere than it seems to. */
const UNCLEAR = /[`\\#]|\$[('"{]|<</;
const MAX_QUOTED = 4_096;

/** The quote that is open where the text ends; -1 if none is, or if that is not certain. */
export function openQuoteIn(before: string): number {
  if (before.length > MAX_QUOTED || UNCLEAR.test(before)) return -1;
  return before.replaceAll(/"[^"]*"|'[^']*'/g, (quoted) => '_'.repeat(quoted.length)).search(/["']/);
}

/** The quoted text around a place that a shell reads as one script: `bash -c "…"`, `ssh host '…'`. */
export function scriptAround(text: string, at: number): { readonly from: number; readonly to: number } | undefined {
  const open = openQuoteIn(text.slice(0, at));
  const to = open < 0 ? -1 : text.indexOf(text[open] as string, at);
  if (to < 0 || (text[open] === '"' && /[`\\$]/.test(text.slice(open, to)))) return undefined;
  return takesScript(commandOf(text.slice(0, open))) ? { from: open + 1, to } : undefined;
}

const SHELL = /^(?:ba|da|z|k|a)?sh$/;
/** Options of `ssh` that take the next word; of `-ip` the value is `p`. */
const SSH_VALUED = /^-[46AaCfGgKkMNnqsTtVvXxYy]*[BbcDEeFIiJLlmOopQRSWw]$/;

/** Whether the next word of the command is a whole script. */
function takesScript(given: readonly string[]): boolean {
  const words = wordsRun(given);
  const program = nameIn(words[0] ?? '');
  const own = words.slice(1);
  const last = own.at(-1) ?? '';
  if (SHELL.test(program)) return /^-[a-z]{0,4}c$/.test(last) && own.every((word) => word.startsWith('-'));
  // The option in `runuser -u me -- tool -c` is the tool’s.
  if (program === 'runuser' && own.some((word) => /^(?:-[a-z]{0,4}u.*|--user.*|--)$/.test(word))) return false;
  if (program === 'su' || program === 'runuser') return last === '-c' || last === '--command';
  if (program !== 'ssh') return false;
  const operands = own.filter((word, at) => !word.startsWith('-') && !SSH_VALUED.test(own[at - 1] ?? ''));
  return operands.length === 1 && last === operands[0];
}
