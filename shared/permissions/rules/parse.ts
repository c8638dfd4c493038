/** Reads one rule pattern. Nothing becomes a `RegExp`. */
import { isToolName, TOOL_NAMES } from '../../domain/proposal/tool-name.ts';
import { nearestSpelling } from '../../domain/text/nearest.ts';
import { builtInTool, type ToolRegistry } from '../model/tools.ts';
import type { PresetName } from '../model/types.ts';
import { type PathPattern, PathPatternError, parsePathPattern } from '../paths/pattern.ts';
import { isPlainAscii } from '../text/characters.ts';
import { matchesWildcard } from '../text/glob.ts';
import { type CommandSpec, commandSpec } from './command-spec.ts';

/** The calls of a path rule: all writers, all readers, or one tool. */
type PathFamily = 'edit' | 'read' | 'tool';

/** The calls that a rule speaks of; no pattern is read as a built-in set of allows. */
export type ParsedPattern =
  | WrittenPattern
  | {
      readonly kind: 'preset';
      readonly preset: PresetName;
      /** The rule names commands, by whatever tool they run. */
      readonly tool: '';
    };

type WrittenPattern =
  | { readonly kind: 'every' }
  | { readonly kind: 'tool'; readonly tool: string; readonly wild: boolean }
  | { readonly kind: 'command'; readonly tool: string; readonly command: CommandSpec }
  | { readonly kind: 'path'; readonly tool: string; readonly family: PathFamily; readonly path: PathPattern }
  | { readonly kind: 'domain'; readonly tool: string; readonly host: string }
  | { readonly kind: 'param'; readonly tool: string; readonly name: string; readonly value: string }
  | { readonly kind: 'text'; readonly tool: string; readonly text: string; readonly prefix: boolean };

/** A malformed pattern: it refuses the whole policy file. `code` is stable; `suggestion` is a spelling that would do. */
export class RulePatternError extends Error {
  override readonly name = 'RulePatternError';
  readonly code: string;
  readonly suggestion: string | undefined;
  constructor(code: string, message: string, suggestion?: string) {
    super(message);
    this.code = code;
    this.suggestion = suggestion;
  }
}

/** Fields that have a rule form of their own; a parameter rule on them would give false comfort. */
const PRIMARY_FIELDS: ReadonlySet<string> = new Set(['command', 'file_path', 'path', 'url']);
const FILE_FAMILIES: ReadonlyMap<string, PathFamily> = new Map<string, PathFamily>([
  ['Edit', 'edit'],
  ['Write', 'edit'],
  ['Read', 'read'],
  ['MultiEdit', 'tool'],
  ['NotebookEdit', 'tool'],
  ['Grep', 'tool'],
  ['Glob', 'tool'],
]);

/** `mcp__server` speaks of every tool of that server, as in Claude Code's documentation. */
function isWholeServer(named: string): boolean {
  return named.startsWith('mcp__') && named.length > 5 && !named.includes('__', 5) && !named.includes('*');
}

/** Whether the tool name of a rule may name more than one tool. */
export function namesMany(named: string): boolean {
  return named.includes('*') || isWholeServer(named);
}

/** Whether the tool name of a rule names this tool. */
export function namesTool(named: string, toolName: string): boolean {
  return matchesWildcard(named, toolName) || (isWholeServer(named) && toolName.startsWith(`${named}__`));
}

interface Split {
  readonly tool: string;
  /** Undefined without brackets. */
  readonly spec: string | undefined;
}

/** Editors of texts put these for straight ones; YAML takes them for characters of the rule. */
const CURLY = /^[‘’‚“”„«]|[‘’“”»]$/gu;

function split(pattern: string): Split {
  const inner = pattern.replaceAll(CURLY, '');
  if (inner !== pattern)
    throw new RulePatternError('curly_quotes', 'the rule begins or ends with a curly quote', inner);
  const open = pattern.indexOf('(');
  if (open < 0) {
    if (pattern.includes(')'))
      throw new RulePatternError('unbalanced', 'the rule closes a bracket that it never opens');
    return { tool: pattern, spec: undefined };
  }
  if (!pattern.endsWith(')')) {
    const last = pattern.lastIndexOf(')');
    const closed = last > open ? pattern.slice(0, last + 1) : `${pattern})`;
    const suggestion = closed.slice(open + 1, -1).trim() === '' ? pattern.slice(0, open) : closed;
    throw new RulePatternError('unbalanced', 'the last character of a rule with "(" must be ")"', suggestion);
  }
  const spec = pattern.slice(open + 1, -1);
  const tool = pattern.slice(0, open);
  if (spec.trim() === '') {
    throw new RulePatternError('empty_specifier', 'the brackets are empty', tool);
  }
  return { tool, spec };
}

function checkToolName(tool: string): void {
  if (tool === '') throw new RulePatternError('empty_tool', 'the rule names no tool');
  const plain = tool.replaceAll('*', 'x');
  // Members of Object.prototype are well-formed and never match a call: reported, not refused.
  const wellFormed = isToolName(plain) || isToolName(`x${plain}`);
  if (!wellFormed) {
    const trimmed = tool.trim();
    throw new RulePatternError(
      'bad_tool_name',
      TOOL_NAMES,
      trimmed !== tool && isToolName(trimmed) ? trimmed : undefined,
    );
  }
}

function isIdentifier(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    const letter = (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a) || code === 0x5f;
    const digit = code >= 0x30 && code <= 0x39;
    if (!(letter || (digit && i > 0))) return false;
  }
  return true;
}

function paramOf(spec: string): { name: string; value: string } | undefined {
  const colon = spec.indexOf(':');
  if (colon <= 0 || spec.endsWith(':*')) return undefined;
  const name = spec.slice(0, colon);
  return isIdentifier(name) ? { name, value: spec.slice(colon + 1).trim() } : undefined;
}

function familyOf(tool: string, registry: ToolRegistry | undefined): PathFamily | undefined {
  const known = FILE_FAMILIES.get(tool);
  if (known !== undefined) return known;
  const found = registry?.lookup(tool);
  if (found?.kind !== 'listed' || found.entry.shell === true) return undefined;
  const { permissions } = found.entry;
  return permissions.length > 0 && permissions.every((each) => each === 'Read' || each === 'Write')
    ? 'tool'
    : undefined;
}

/** Commands, paths and hosts are what such a tool's calls are about: only the rule's own form for them says what a call does. */
export function hasOwnSpecifier(tool: string, registry: ToolRegistry | undefined): boolean {
  return tool === 'WebFetch' || isShellTool(tool, registry) || familyOf(tool, registry) !== undefined;
}

/** Whether a rule's words about the tool are a command. */
export function isShellTool(tool: string, registry: ToolRegistry | undefined): boolean {
  return builtInTool(tool)?.shell === true || (registry !== undefined && isShell(registry, tool));
}

function pathOf(spec: string): PathPattern {
  try {
    return parsePathPattern(spec);
  } catch (error) {
    if (error instanceof PathPatternError) throw new RulePatternError('bad_path', error.message);
    throw error;
  }
}

/** A one-letter name before a colon is a drive, and `x://` a URL: paths, not parameters. */
function looksLikePath(spec: string): boolean {
  const colon = spec.indexOf(':');
  return colon === 1 || spec.startsWith('//', colon + 1) || spec[colon + 1] === '\\';
}

/** @throws RulePatternError for a malformed pattern */
export function parsePattern(pattern: string, registry?: ToolRegistry): WrittenPattern {
  if (pattern.trim() === '') throw new RulePatternError('empty', 'the rule is empty');
  const { tool, spec } = split(pattern);
  checkToolName(tool);
  if (tool === '*') {
    if (spec !== undefined && spec !== '*') {
      throw new RulePatternError('specifier_on_every', 'a rule for every tool takes no specifier', '*');
    }
    return { kind: 'every' };
  }
  if (spec === undefined || spec === '*') return { kind: 'tool', tool, wild: namesMany(tool) };

  const family = familyOf(tool, registry);
  const shell = isShellTool(tool, registry);
  if (tool === 'WebFetch' && spec.startsWith('domain:')) return domainOf(tool, spec.slice('domain:'.length));

  const param = (family !== undefined || tool === 'WebFetch') && looksLikePath(spec) ? undefined : paramOf(spec);
  if (param !== undefined) {
    if (PRIMARY_FIELDS.has(param.name)) {
      throw new RulePatternError(
        'primary_field',
        `"${param.name}" cannot be compared as a parameter`,
        `${tool}(${param.name === 'url' ? `domain:${param.value}` : param.value})`,
      );
    }
    // `WebFetch(domian:…)` would be a rule on a field that no call has: a deny that denies nothing.
    if (tool === 'WebFetch' && nearestSpelling(param.name, ['domain']) !== undefined) {
      throw new RulePatternError('bad_domain', `WebFetch has no "${param.name}"`, domainRule(tool, param.value));
    }
    return { kind: 'param', tool, name: param.name, value: param.value };
  }
  if (shell) return { kind: 'command', tool, command: commandSpec(spec) };
  if (family !== undefined) return { kind: 'path', tool, family, path: pathOf(spec) };
  if (tool === 'WebFetch') {
    throw new RulePatternError('bad_domain', 'WebFetch takes domain:NAME or a parameter', domainRule(tool, spec));
  }
  const prefix = spec.endsWith(':*');
  return { kind: 'text', tool, text: prefix ? spec.slice(0, -2) : spec, prefix };
}

function isShell(registry: ToolRegistry, tool: string): boolean {
  const found = registry.lookup(tool);
  return found.kind === 'listed' && found.entry.shell === true;
}

/** A rule on the host that a text names; undefined where it names none. */
function domainRule(tool: string, written: string): string | undefined {
  const rest = written.includes('://') ? written.slice(written.indexOf('://') + 3) : written;
  for (const authority of [rest.split('/')[0], `[${rest}]`]) {
    const host = URL.parse(`http://${authority}/`)?.hostname;
    if (host !== undefined && !isNoHost(host)) return `${tool}(domain:${host})`;
  }
  return undefined;
}

/** The colons of an IPv6 address stand in brackets. */
const isNoHost = (host: string): boolean =>
  /^\.*$/.test(host) || (!host.startsWith('[') && [...host].some((char) => char <= ' ' || '/:@?#\\()'.includes(char)));

function domainOf(tool: string, written: string): WrittenPattern {
  const host = written.endsWith('.') ? written.slice(0, -1) : written;
  if (isNoHost(host)) {
    throw new RulePatternError('bad_domain', 'a domain is a host name, with "*" for labels', domainRule(tool, written));
  }
  const wild = host.includes('*');
  if (host.split('.').some((label) => label.includes('*') && !isPlainAscii(label))) {
    throw new RulePatternError('bad_domain', 'a label with "*" holds ASCII characters only; write it in Punycode');
  }
  try {
    const ascii = new URL(`http://${host}/`).hostname;
    return { kind: 'domain', tool, host: ascii.endsWith('.') ? ascii.slice(0, -1) : ascii };
  } catch {
    // `127.*.0.1` is no address to the URL parser.
    if (wild) return { kind: 'domain', tool, host: host.toLowerCase() };
    throw new RulePatternError('bad_domain', 'the domain is not a host name');
  }
}
