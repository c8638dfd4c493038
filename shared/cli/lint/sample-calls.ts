/** Turns a rule into calls in its own words: what whoever wrote it would expect it to speak of. */
import { isShellTool, type ToolRegistry } from '../../permissions/model/tools.ts';
import type { ToolEntry } from '../../permissions/model/types.ts';
import type { PathPattern } from '../../permissions/paths/pattern.ts';
import type { CommandSpec } from '../../permissions/rules/command-spec.ts';
import { namesMany, namesTool, type ParsedPattern } from '../../permissions/rules/parse.ts';
import type { GlobToken } from '../../permissions/text/glob.ts';

export interface SampleCall {
  readonly toolName: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** The words that people read in a finding. */
  readonly text: string;
}

export interface Samples {
  /** The rule's words, alone and with a harmless operand. */
  readonly own: readonly SampleCall[];
  /** Other calls that a prefix may cover: they tell a rule that grants little from one that grants nothing. */
  readonly further: readonly SampleCall[];
}

const NONE: Samples = { own: [], further: [] };

/** Empty for a rule whose calls cannot be told from its words. */
export function samplesOf(
  parsed: ParsedPattern,
  tools: ToolRegistry,
  place: { readonly projectRoot: string },
): Samples {
  if (parsed.kind === 'every') return { own: tools.list().map((entry) => bareCall(entry)), further: [] };
  const entries = entriesOf(parsed.tool, tools);
  switch (parsed.kind) {
    case 'tool':
      return { own: entries.map((entry) => bareCall(entry)), further: [] };
    case 'command':
      return commandSamples(parsed.tool, parsed.command);
    case 'path': {
      const path = samplePath(parsed.path, place.projectRoot);
      return { own: entries.flatMap((entry) => [callOn(entry, path), ...searchFor(entry, path)]), further: [] };
    }
    case 'domain':
      return { own: entries.map((entry) => callOn(entry, `https://${filled(parsed.host)}/`)), further: [] };
    case 'param':
      return {
        own: entries.map((entry) => {
          const { toolName, input } = bareCall(entry);
          const value = filled(parsed.value);
          return {
            toolName,
            input: { ...input, [parsed.name]: value },
            text: `${toolName} with ${parsed.name} ${value}`,
          };
        }),
        further: [],
      };
    case 'text': {
      const text = filled(parsed.text);
      const own = entries.filter(({ subject }) => subject?.length).map((entry) => callOn(entry, text));
      return { own, further: [] };
    }
    // A preset covers all programs that only read.
    case 'preset':
      return NONE;
    default:
      parsed satisfies never;
      return NONE;
  }
}

/** The tools that the name in a rule names; a made-up one of an MCP server whose tools nobody listed. */
function entriesOf(named: string, tools: ToolRegistry): ToolEntry[] {
  const listed = tools.list().filter(({ name }) => namesTool(named, name));
  if (listed.length) return listed;
  const name = namesMany(named) && !named.includes('*') ? `${named}__x` : filled(named);
  const found = tools.lookup(name);
  return found.kind === 'refused' ? [] : [found.entry];
}

const WORD = 'x';
export const filled = (text: string, word = WORD): string => text.replaceAll('*', word);

function bareCall(entry: ToolEntry): SampleCall {
  const [field] = entry.subject ?? [];
  return callOn(entry, field === 'url' ? 'https://x.example/' : WORD);
}

/** A search looks for something in a folder; every other call is about its subject. */
function callOn({ name, subject = [], permissions, ...entry }: ToolEntry, about: string): SampleCall {
  const text = `${name} of ${about}`;
  if (isShellTool({ name, permissions, ...entry })) return { toolName: name, input: { command: about }, text: about };
  const [field] = subject;
  const input = field === 'pattern' ? { pattern: WORD, path: about } : { [field ?? 'path']: about };
  return { toolName: name, input, text };
}

/** A search may look for a text that is a path itself. */
const searchFor = ({ name, subject }: ToolEntry, path: string): SampleCall[] =>
  subject?.[0] === 'pattern' ? [{ toolName: name, input: { pattern: path }, text: `${name} of ${path}` }] : [];

/** Words that a wildcard in a command may stand for; one that the program takes is enough. */
const FILLINGS: readonly string[] = [WORD, '1', 'status', 'test', 'push', '8080', './x', 'x.example'];
/** Words that usually do no harm behind a program's name. */
const FURTHER: readonly string[] = [
  '--version',
  '--help',
  't',
  '-l',
  '--list',
  'list',
  'status',
  'test',
  'build',
  './x',
];

function commandSamples(tool: string, { form, text, words }: CommandSpec): Samples {
  const callOf = (command: string): SampleCall => ({ toolName: tool, input: { command }, text: command });
  if (form === 'exact') return { own: [callOf(text)], further: [] };
  if (form === 'prefix') {
    const end = CLOSING.get(words[0] ?? '') ?? '';
    const own = [text, `${text} ${WORD}${end}`].filter((one) => one.trim() !== '');
    return { own: own.map(callOf), further: FURTHER.map((word) => callOf(`${text} ${word}${end}`)) };
  }
  const pattern = text.endsWith(':*') ? text.slice(0, -2) : text;
  return { own: FILLINGS.map((word) => callOf(pattern.replaceAll('*', word))), further: [] };
}

/** Commands that need a last word. */
const CLOSING: ReadonlyMap<string, string> = new Map([
  ['[', ' ]'],
  ['[[', ' ]]'],
]);

function samplePath({ anchor, segments, below }: PathPattern, projectRoot: string): string {
  const names = segments.map((segment) => {
    if (segment.kind === 'up') return '..';
    return segment.kind === 'deep' ? WORD : segment.exact.tokens.map(sampleCharacter).join('');
  });
  const path = [...names, ...(below ? [WORD] : [])].join('/');
  switch (anchor) {
    case 'root':
      return `/${path}`;
    case 'home':
      return `~/${path}`;
    case 'project':
      return `${projectRoot}/${path}`;
    default:
      return path || WORD;
  }
}

function sampleCharacter(token: GlobToken): string {
  if (token.kind === 'char') return token.char;
  return token.kind === 'set' && !token.negated ? (token.ranges[0]?.[0] ?? WORD) : WORD;
}
