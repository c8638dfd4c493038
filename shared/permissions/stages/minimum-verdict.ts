/** Finds reasons for which a call at least asks, whatever rules, mode and classifier decide. */
import { type KeyKind, keyKind } from '../../domain/path-keys.ts';
import { cutMarked } from '../../domain/redaction/text/marker.ts';
import type { PreparedCall } from '../call/prepared-call.ts';
import { commandsOf } from '../matching/command-matching.ts';
import { mayWrite, possibleRule } from '../matching/match.ts';
import { isFileReader, isFileWriter, isShellTool } from '../model/tools.ts';
import { mayBeAny } from '../paths/glob-path.ts';
import { normalisePath } from '../paths/normalise.ts';
import { joinFields, type PathWord } from '../shell/syntax/command.ts';
import { UNKNOWN } from '../text/unknown.ts';

export interface MinimumVerdict {
  readonly code:
    | 'critical-delete'
    | 'decode-and-run'
    | 'not-understood'
    | 'unknown-field'
    | 'odd-path'
    | 'may-be-protected'
    | 'address'
    | 'protected-folder'
    | 'repository';
  readonly why: string;
  /** Not even a person's grant answers it: a built-in ask rule (`humanRequired`). */
  readonly humanRequired: boolean;
}

/** @param now epoch milliseconds: rules with an end date count until then */
export function minimumVerdictOf(prepared: PreparedCall, now: number): MinimumVerdict | undefined {
  const { shell } = prepared;
  const human = shell?.human[0];
  if (human !== undefined) return { code: human.code, why: human.message, humanRequired: true };
  const notUnderstood = shell?.doubts[0];
  if (notUnderstood !== undefined)
    return {
      code: 'not-understood',
      why: `The command is not fully understood: ${notUnderstood}.`,
      humanRequired: false,
    };
  const field = unknownField(prepared);
  if (field !== undefined)
    return {
      code: 'unknown-field',
      why: `The field ${field.name} of ${prepared.call.toolName} may change what runs${field.why}`,
      humanRequired: false,
    };
  const odd = prepared.paths.find((each) => (each.argument || each.isFolder) && each.path.finding?.level === 'ask');
  if (odd !== undefined)
    return { code: 'odd-path', why: `A path is not certain: ${odd.path.finding?.why}.`, humanRequired: false };
  const possible = possibleName(prepared, now);
  if (possible !== undefined) return { code: 'may-be-protected', why: possible, humanRequired: false };
  if (prepared.call.toolName === 'WebFetch') {
    const { address } = prepared;
    if (address?.web !== true)
      return { code: 'address', why: 'Only http and https addresses can be fetched.', humanRequired: false };
    if (address.ambiguity !== undefined)
      return { code: 'address', why: `The address is not certain: ${address.ambiguity}.`, humanRequired: false };
  }
  const folder = protectedFolder(prepared);
  if (folder !== undefined) return { code: 'protected-folder', why: folder, humanRequired: false };
  return makesRepository(prepared)
    ? {
        code: 'repository',
        why: 'A file named HEAD can make its folder a git repository, and the settings of one run commands.',
        humanRequired: false,
      }
    : undefined;
}

/**
 * Files that an edit may write become a bare repository, whose `config` runs commands at the next `git status` there. git takes no folder
 * for one without a file HEAD, so that asking about HEAD is enough: `config`, `objects` and `refs` are names that many projects have.
 */
function makesRepository(prepared: PreparedCall): boolean {
  return prepared.paths.some(
    ({ path, access, glob, isFolder }) =>
      !isFolder &&
      glob === undefined &&
      isWritten(prepared, access) &&
      path.folded.some((segments) => segments.at(-1) === 'head'),
  );
}

/** `git revert HEAD` names a revision: of a command's words only those count that it is known to write. */
const isWritten = (prepared: PreparedCall, access: PathWord['access']): boolean =>
  prepared.shell === undefined ? mayWrite(prepared, access) : access === 'write';

/** In earnest no command goes through more, and each costs a look. */
const MAX_FOLDERS = 32;

/** Where a program runs it may write, whatever it names: a folder that may be read and not written is left to people. */
function protectedFolder({ call, entry, shell, folder, context }: PreparedCall): string | undefined {
  if (isFileReader(entry) || isFileWriter(entry)) return undefined;
  if (folder === undefined && (shell?.commands ?? []).every(({ dir }) => dir === context.cwd)) return undefined;
  const dirs = new Set((shell?.commands ?? []).map(({ dir }) => dir));
  dirs.delete(context.cwd);
  if (dirs.size > MAX_FOLDERS) return `The command runs in more than ${MAX_FOLDERS} folders.`;
  const paths = [
    ...(folder === undefined ? [] : [folder.path]),
    ...[...dirs].map((dir) => normalisePath(dir, context)),
  ];
  for (const path of paths) {
    const hit = call.protected.matchPath(path, context, 'write');
    if (hit !== undefined)
      return `The call runs in a folder that is protected against writing (${hit}), and may write there.`;
  }
  return undefined;
}

/** Fields that agents send beside a command, and the type of each: such a value does not change what runs. */
const KNOWN_FIELDS: ReadonlyMap<string, string> = new Map([
  ['command', 'string'],
  ['description', 'string'],
  ['timeout', 'number'],
  ['run_in_background', 'boolean'],
]);

/** `uri` stands in words such as `security`, too. */
const LEADS = /[Uu][Rr][Ll]|(?<![A-Za-z])uri|Uris?(?![a-z])|URI|uris?$|[Pp]roxy|PROXY|[Hh]ost|HOST/;

/** Whether a field of a fetch may lead it elsewhere: only its `url` is judged as an address. */
const mayLead = (key: string, value: unknown): boolean =>
  LEADS.test(key) || typeof value === 'object' || (keyKind(key) !== 'prose' && /^\s*\w[\w+.-]*:\/\//.test(`${value}`));

const NO_FURTHER: ReadonlySet<KeyKind> = new Set(['path', 'command']);

/** Finds a field beside the command of a shell tool that nobody declared: `env`, `shell` or `stdin` may run something else. */
function unknownField({
  call,
  entry,
  input,
}: PreparedCall): { readonly name: string; readonly why: string } | undefined {
  const isWeb = call.toolName === 'WebFetch';
  if (!isWeb && !isShellTool(entry)) return undefined;
  const declared = declaredFields(entry.argsSchema);
  const unknown = Object.keys(input).find((key) => {
    if (isWeb) return key !== 'url' && !declared.has(key) && mayLead(key, input[key]);
    const known = KNOWN_FIELDS.get(key);
    // A folder is no harmless field, whoever declares it: the call has one of its own. Nor are further words of a command, which nobody reads.
    return known === undefined ? !declared.has(key) || NO_FURTHER.has(keyKind(key)) : typeof input[key] !== known;
  });
  if (unknown === undefined) return undefined;
  return {
    name: PRINTABLE.test(unknown) ? unknown : 'with an unusual name',
    why: declared.has(unknown) && !KNOWN_FIELDS.has(unknown) ? READ_ELSEWHERE : NOT_DECLARED,
  };
}

const NOT_DECLARED = '; its entry in the policy file does not declare it.';
const READ_ELSEWHERE = ': only command is read as a command, and the folder of a call is its cwd.';

/** Keys that may be shown. */
const PRINTABLE = /^[\w.-]{1,64}$/;

/** The properties of a JSON Schema. */
function declaredFields(schema: unknown): ReadonlySet<string> {
  if (typeof schema !== 'object' || schema === null || !Object.hasOwn(schema, 'properties')) return new Set();
  const { properties } = schema as { readonly properties?: unknown };
  return new Set(typeof properties === 'object' && properties !== null ? Object.keys(properties) : []);
}

/** A glob that may name a protected file, or one that a deny or ask rule speaks of, without saying so. */
function possibleName(prepared: PreparedCall, now: number): string | undefined {
  const { protected: checker } = prepared.call;
  for (const { path, glob, context, access } of prepared.paths) {
    if (glob !== undefined && mayBeAny(path.stated, glob, context))
      return mayName(path.stated, 'any file, so long is it');
    const done = mayWrite(prepared, access) ? 'write' : 'read';
    const hit = glob === undefined ? undefined : checker.matchGlob(path.stated, glob, context, done);
    if (hit !== undefined) return mayName(path.stated, `a protected file (${hit.pattern})`);
  }
  const found = possibleRule(prepared, now);
  if (found === undefined) return possibleCommandName(prepared, now);
  const { pattern, source, effect } = found.rule.ref;
  return mayName(found.word, `a path of the ${effect} rule ${pattern} (${source})`);
}

/** A command whose uncertain words may be those of a deny or ask rule. */
function possibleCommandName(prepared: PreparedCall, now: number): string | undefined {
  const found = prepared.shell && commandsOf(prepared).possibleCommand(prepared, now);
  if (found === undefined || typeof found === 'string') return found;
  const command = cutMarked(joinFields(found.command.argv).replaceAll(UNKNOWN, '…'), 80);
  const { pattern, source, effect } = found.rule?.ref ?? {};
  const what = pattern === undefined ? 'one of too many rules' : `the ${effect} rule ${pattern} (${source})`;
  return `The command ${command} may be what ${what} speaks of: write its words out, or a person decides.`;
}

function mayName(word: string, what: string): string {
  return `The pattern ${cutMarked(word.replaceAll(UNKNOWN, '…'), 80)} may name ${what}: name the files, or a person decides.`;
}
