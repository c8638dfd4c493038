/** Finds rules that load and yet cannot do what their words promise. */
import { ownValue } from '../../domain/own.ts';
import { isToolName } from '../../domain/proposal/tool-name.ts';
import { nearestSpelling } from '../../domain/text/nearest.ts';
import { FLOW_FIELDS, FLOW_TOOL, type ToolRegistry } from '../model/tools.ts';
import type { RuleInput } from '../model/types.ts';
import { USUAL_SUBJECT } from '../model/unlisted-tools.ts';
import type { PathPattern } from '../paths/pattern.ts';
import type { CommandSpec } from './command-spec.ts';
import { allowGrantsNothing } from './grants-nothing.ts';
import { literalAlternatives } from './literal-alternatives.ts';
import { isShellTool, type ParsedPattern } from './parse.ts';

/** `code` is stable: CI and the policy file name it. */
interface RuleWarning {
  readonly code: string;
  readonly message: string;
  /** A rule to write instead. */
  readonly suggestion?: string | undefined;
}

export type FindWarnings = (
  rule: RuleInput,
  parsed: ParsedPattern,
  tools: ToolRegistry | undefined,
) => readonly RuleWarning[];

/** `tools` lets names of tools and of their fields be checked. */
export function warningsOf(
  rule: RuleInput,
  parsed: ParsedPattern,
  tools: ToolRegistry | undefined,
): readonly RuleWarning[] {
  if (parsed.kind === 'every') return rule.effect === 'allow' ? nothingGranted(parsed, tools) : [];
  if (parsed.kind === 'preset') return [];
  if (parsed.tool === FLOW_TOOL && tools?.has(FLOW_TOOL) === false) return flowWarnings(rule, parsed);
  const found = [
    ...toolWarnings(parsed.tool, tools),
    ...(severalRules(rule.pattern, tools) ?? specifierWarnings(rule, parsed, tools)),
  ];
  const needsNoGrant = rule.effect !== 'allow' || rule.matcher?.kind === 'permission';
  // There is nothing else to tell of a rule that speaks of no call.
  if (needsNoGrant || found.some(({ code }) => code === 'never_matches')) return found;
  return [...nothingGranted(parsed, tools), ...found];
}

const nothingGranted = (parsed: ParsedPattern, tools: ToolRegistry | undefined): RuleWarning[] => {
  const message = allowGrantsNothing(parsed, tools);
  return message === undefined ? [] : [{ code: 'grants_nothing', message }];
};

/** Rules on actions of a contract: a policy or a person chooses, and rules deny or ask. */
function flowWarnings(rule: RuleInput, parsed: ParsedPattern): RuleWarning[] {
  if (parsed.kind === 'param' && !FLOW_FIELDS.some((field) => field === parsed.name))
    return [
      { code: 'never_matches', message: `an action shows rules no ${parsed.name}, only ${FLOW_FIELDS.join(' and ')}` },
    ];
  if (parsed.kind === 'text' && !/^[A-Za-z0-9._:*-]+$/.test(parsed.text))
    return [{ code: 'never_matches', message: `no flow is named ${parsed.text}: names hold only A-Z a-z 0-9 . _ : -` }];
  return rule.effect === 'allow'
    ? [
        {
          code: 'grants_nothing',
          message: 'an action needs no allow: an agent policy chooses it, and rules deny or ask',
        },
      ]
    : [];
}

/** Whether calls can name the tool, and whether the registry lists it. */
export function toolWarnings(tool: string, tools: ToolRegistry | undefined): RuleWarning[] {
  if (tool.includes('*')) return [];
  const noCall = `no call can name the tool ${tool}`;
  if (!isToolName(tool)) return [{ code: 'never_matches', message: noCall }];
  if (tool.startsWith('mcp__') && tool.endsWith('__'))
    return [{ code: 'never_matches', message: `${tool} names no tool of a server`, suggestion: `${tool}*` }];
  const lookup = tools?.lookup(tool);
  if (lookup?.kind === 'refused') return [{ code: 'never_matches', message: noCall, suggestion: lookup.nearest }];
  if (lookup?.kind !== 'unlisted' || tool.startsWith('mcp__')) return [];
  const names = tools?.list().map(({ name }) => name) ?? [];
  const suggestion = nearestSpelling(tool, names);
  return [{ code: 'unlisted_tool', message: `no tool ${tool} is listed`, suggestion }];
}

/** `Bash(ls:*), Read`, as command lines of agents take them: one rule to the gate, whose brackets hold the rest. */
function severalRules(pattern: string, tools: ToolRegistry | undefined): RuleWarning[] | undefined {
  const rules = pattern.split(/(?<=\))\s*[,;|]?\s*(?=[A-Za-z][\w.-]*\()/);
  const areRules = rules.every((one) => tools?.has(one.slice(0, one.indexOf('('))) === true && one.endsWith(')'));
  if (rules.length < 2 || !areRules) return undefined;
  return [{ code: 'never_matches', message: `a rule is no list; write a rule for each: ${rules.join(' and ')}` }];
}

function specifierWarnings(rule: RuleInput, parsed: ParsedPattern, tools: ToolRegistry | undefined): RuleWarning[] {
  switch (parsed.kind) {
    case 'command':
      return [
        ...(anchoredWord(parsed.command) ?? bracketWarnings(rule.pattern, parsed.tool, 'never_matches')),
        ...misplacedColon(parsed.tool, parsed.command),
        ...shellWord(parsed.command),
        ...(rule.effect === 'allow' ? looseRuleWords(parsed.tool, parsed.command) : []),
      ];
    case 'path':
      return pathWarnings(rule.pattern, parsed.tool, parsed.path);
    case 'domain':
      return domainWarnings(rule.pattern, parsed);
    case 'param':
      return fieldWarnings(rule.pattern, parsed, tools);
    case 'text':
      return subjectWarnings(rule.pattern, parsed, tools);
    default:
      return [];
  }
}

/** `npm run (build|test)` is no command that a shell reads: a deny of it denies nothing. A path may be named so. */
function bracketWarnings(pattern: string, tool: string, code: 'never_matches' | 'literal_brackets'): RuleWarning[] {
  const specifiers = literalAlternatives(pattern.slice(tool.length + 1, -1), code === 'never_matches');
  if (specifiers === undefined) return [];
  const rules = specifiers.map((one) => `${tool}(${one})`).join(', ');
  return [{ code, message: `brackets and "|" mean themselves in a rule; write a rule for each: ${rules}` }];
}

/** `^rm.*` is a regular expression, which no rule is: one for each of its choices would be none either. */
function anchoredWord({ words: [first = ''] }: CommandSpec): RuleWarning[] | undefined {
  return first.startsWith('^')
    ? [{ code: 'never_matches', message: `no program is named ${first}: a rule is no regular expression` }]
    : undefined;
}

/** `for` and the like begin what holds commands, which are judged each by itself. A rule on them holds for a script that is cut short. */
function shellWord({ words, form }: CommandSpec): RuleWarning[] {
  const [first = ''] = words;
  // An exact rule may be a whole script.
  return SHELL_WORDS.has(first) && form !== 'exact'
    ? [{ code: 'shell_word', message: `${first} is a word of the shell: rules speak of the commands that it holds` }]
    : [];
}
/** Without `coproc`, which is judged as a program that runs another. */
const SHELL_WORDS: ReadonlySet<string> = new Set(
  'if then else elif fi for while until do done case esac select function { } !'.split(' '),
);

const ONLY_AT_THE_END = '":*" stands for further words only at the very end of a rule';

/** `git push:* origin`: in the middle of a rule it is a colon and any text. */
function misplacedColon(tool: string, { words, form }: CommandSpec): RuleWarning[] {
  const at = words.findIndex((word, index) => {
    const bare = withoutStars(word);
    const isOpen = bare !== word || (form === 'prefix' && index === words.length - 1);
    return isOpen && bare.endsWith(':') && (index === 0 || isName(bare.slice(0, -1)));
  });
  const name = withoutStars(words[at] ?? '').slice(0, -1);
  if (name === '') return [];
  const suggestion = prefixRule(tool, words.with(at, name));
  return at === 0
    ? [{ code: 'never_matches', message: `${ONLY_AT_THE_END}, and no program is named ${words[0]}`, suggestion }]
    : [{ code: 'misplaced_colon', message: `${ONLY_AT_THE_END}; here it is a colon and any text`, suggestion }];
}

/** Without the words that are stars at the end: the prefix means them. */
function prefixRule(tool: string, words: readonly string[]): string {
  const last = words.findLastIndex((word) => withoutStars(word) !== '');
  return `${tool}(${words.slice(0, last + 1).join(' ')}:*)`;
}

/** `npm*` is `npmx`, too, and `* --version` is any program: more than whoever writes such an allow means. */
function looseRuleWords(tool: string, { words, form }: CommandSpec): RuleWarning[] {
  const [first = ''] = words;
  if (form !== 'wildcard') return [];
  if (withoutStars(first) === '')
    return words.every((word) => withoutStars(word) === '')
      ? []
      : [
          {
            code: 'any_program',
            message: `any program may stand before ${words.slice(1).join(' ')}, as \`rm -rf x\`; name it`,
          },
        ];
  const at = [words.length - 1, 0].find((index) => {
    const word = words[index] ?? '';
    return word.endsWith('*') && isName(withoutStars(word));
  });
  if (at === undefined) return [];
  const name = withoutStars(words[at] ?? '');
  const message = `${name}* also means ${name}x: no blank ends the word`;
  return [{ code: 'no_word_boundary', message, suggestion: prefixRule(tool, words.with(at, name)) }];
}

function withoutStars(word: string): string {
  let end = word.length;
  while (word[end - 1] === '*') end--;
  return word.slice(0, end);
}

/** A program, a sub-command or a script, and no path, option, port or address. */
const isName = (word: string): boolean =>
  isToolName(word) && !word.includes('.') && !word.startsWith('-') && !(word >= '0' && word < ':');

/** Folders of a machine rather than of a project. */
const MACHINE_FOLDERS: ReadonlySet<string> = new Set([
  ...['etc', 'home', 'proc', 'root', 'sys', 'tmp', 'usr', 'var'],
  'Users',
]);

function pathWarnings(pattern: string, tool: string, { anchor, segments }: PathPattern): RuleWarning[] {
  const spec = pattern.slice(tool.length + 1, -1);
  const [first] = segments;
  const folder = first?.kind === 'name' ? first.exact.text : undefined;
  const warnings: RuleWarning[] = [...bracketWarnings(pattern, tool, 'literal_brackets')];
  if (spec.endsWith(':*'))
    warnings.push({
      code: 'never_matches',
      message: '":*" is for commands; "**" stands for everything below a folder',
      suggestion: `${tool}(${withoutSlash(spec.slice(0, -2))}/**)`,
    });
  if (anchor === 'project' && folder !== undefined && MACHINE_FOLDERS.has(folder))
    warnings.push({
      code: 'machine_path',
      message: `one slash is the project's root, two are the machine's: this is ${folder} in the project`,
      suggestion: `${tool}(/${spec})`,
    });
  if (/\\[A-Za-z0-9]/.test(spec))
    warnings.push({
      code: 'escaped_letter',
      message: 'a backslash only makes the next character mean itself; folders are set apart by "/"',
      suggestion: `${tool}(${spec.replaceAll('\\', '/')})`,
    });
  const open = spec.indexOf('{');
  const close = spec.indexOf('}', open);
  const alternatives = open < 0 || close < 0 ? [] : spec.slice(open + 1, close).split(',');
  if (alternatives.length > 1)
    warnings.push({
      code: 'literal_braces',
      message: `braces mean themselves in a path; write a rule for each: ${alternatives
        .map((one) => `${tool}(${spec.slice(0, open)}${one}${spec.slice(close + 1)})`)
        .join(', ')}`,
    });
  return warnings;
}

/** A dot or stars before the name are meant as any sub-domain, which only `*.` is. */
function domainWarnings(pattern: string, { tool, host }: DomainPattern): RuleWarning[] {
  // `*-api` is a part of a label, and means no sub-domain.
  const name = /^(?:\.|\*\*\.|\*+(?=[^.*_-]))(.+)$/.exec(host)?.[1];
  const suggestion = name === undefined ? undefined : `${tool}(domain:*.${name})`;
  if (host.includes(',')) {
    const rules = hostsIn(host).map((one) => `${tool}(domain:${one})`);
    const advice = rules.length ? `write a rule for each: ${rules.join(', ')}` : 'write a rule for each';
    return [{ code: 'never_matches', message: `a rule names one host; ${advice}` }];
  }
  if (host.split('.').includes(''))
    return [{ code: 'never_matches', message: `no host has an empty label, as ${pattern} has`, suggestion }];
  const message = 'these stars stay within one label; "*." is any sub-domain';
  return suggestion === undefined ? [] : [{ code: 'star_in_label', message, suggestion }];
}

/** `a.example,b.example` and `{a,b}.example` are two. None where braces stand twice, or nothing is named. */
function hostsIn(list: string): readonly string[] {
  const [, before = '', braced = list, after = ''] = /^([^,{}]*)\{([^{}]*)\}([^,{}]*)$/.exec(list) ?? [];
  const hosts = braced.split(',').flatMap((one) => (one === '' ? [] : [`${before}${one}${after}`]));
  return hosts.some((one) => /[{}]/.test(one)) ? [] : hosts;
}

const withoutSlash = (path: string): string => (path.endsWith('/') ? path.slice(0, -1) : path);

type DomainPattern = Extract<ParsedPattern, { readonly kind: 'domain' }>;
type ParamPattern = Extract<ParsedPattern, { readonly kind: 'param' }>;

/** A field that no call of the tool has: such a deny denies nothing. */
function fieldWarnings(pattern: string, parsed: ParamPattern, tools: ToolRegistry | undefined): RuleWarning[] {
  const { tool, name } = parsed;
  const found = tools?.lookup(tool);
  const schema = found?.kind === 'listed' ? found.entry.argsSchema : undefined;
  const known = fieldsOf(schema);
  if (known?.includes(name)) return valueWarnings(parsed, schema);
  if (known !== undefined) {
    const nearest = nearestSpelling(name, known);
    const suggestion = nearest === undefined ? undefined : pattern.replace(`(${name}:`, () => `(${nearest}:`);
    const message = `${tool} declares no field ${name}; its fields are ${known.join(', ') || 'none'}`;
    return [{ code: 'unknown_field', message, suggestion }];
  }
  if (!isShellTool(tool, tools)) return [];
  // `git:* push` has the form of a field and its value; no value begins so.
  const rest = pattern.slice(tool.length + name.length + 2, -1);
  const [first = ''] = rest.split(' ');
  if (withoutStars(first) !== '') return [];
  const words = [name, ...rest.split(' ').slice(1)].filter((word) => word !== '');
  const message = `${ONLY_AT_THE_END}, and no call of ${tool} has a field ${name}`;
  return [{ code: 'never_matches', message, suggestion: prefixRule(tool, words) }];
}

/** `mcp__git__push(main)` hears no `branch`: no entry names the branch as the subject of its calls. */
function subjectWarnings(
  pattern: string,
  { tool }: Extract<ParsedPattern, { kind: 'text' }>,
  tools: ToolRegistry | undefined,
): RuleWarning[] {
  const found = tools?.lookup(tool);
  if (!tool.startsWith('mcp__') || found === undefined || found.kind === 'refused' || found.entry.subject) return [];
  const known = fieldsOf(found.entry.argsSchema);
  if (known?.some((name) => USUAL_SUBJECT.some((usual) => usual === name))) return [];
  const [field = 'field'] = known ?? [];
  const rest = pattern.slice(tool.length + 1);
  const message = `compares ${USUAL_SUBJECT.join(', ')} alone: where its calls have none of them, name the field, as in ${tool}(${field}:${rest}`;
  return [{ code: 'usual_fields', message }];
}

/** Lists the fields of a schema; undefined where the schema does not tell. */
function fieldsOf(argsSchema: unknown): readonly string[] | undefined {
  if (typeof argsSchema !== 'object' || argsSchema === null) return undefined;
  const { properties, patternProperties } = argsSchema as Readonly<Record<string, unknown>>;
  if (typeof properties !== 'object' || properties === null || patternProperties !== undefined) return undefined;
  return Object.keys(properties);
}

/** A value that the schema of the field excludes. An open schema, and one of a list, takes any. */
function valueWarnings({ tool, name, value }: ParamPattern, argsSchema: unknown): RuleWarning[] {
  const { properties = {} } = argsSchema as { readonly properties?: Readonly<Record<string, FieldSchema>> };
  const { type, enum: listed } = ownValue(properties, name) ?? {};
  const types = [type].flat();
  if (value.includes('*') || !types.every((one) => SCALARS.has(one))) return [];
  const possible = readingsOf(value).filter(
    (one) => types.some((each) => isOfType(one, each)) && (!Array.isArray(listed) || listed.includes(one)),
  );
  if (possible.length) return [];
  const what = Array.isArray(listed) ? `one of ${listed.map(String).join(', ')}` : `of type ${types.join(' or ')}`;
  return [{ code: 'unknown_value', message: `${name} of ${tool} is ${what}, and never ${value || 'empty'}` }];
}

interface FieldSchema {
  readonly type?: unknown;
  readonly enum?: unknown;
}

/** The scalars that the text of a rule matches. */
function readingsOf(text: string): (string | number | boolean | null)[] {
  const number = text.trim() === '' ? Number.NaN : Number(text);
  return [
    text,
    ...(Number.isNaN(number) ? [] : [number]),
    ...(text === 'true' || text === 'false' ? [text === 'true'] : []),
    ...(text === 'null' ? [null] : []),
  ];
}

const SCALARS: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean', 'null']);

const isOfType = (value: unknown, type: unknown): boolean =>
  type === 'integer' ? Number.isInteger(value) : type === 'null' ? value === null : typeof value === type;
