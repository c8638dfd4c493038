/** Declares a finding: its stable code, subject and location, and what to write instead. */
import { orNearest } from '../../domain/text/nearest.ts';

interface SourceLocation {
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
}

export interface LintFinding {
  readonly level: 'error' | 'warning';
  /** One of `CODES`. */
  readonly code: string;
  /** The rule as it is written, or the key that it is about, as in `tools.Pay`. */
  readonly where: string;
  readonly message: string;
  /** To write instead. */
  readonly suggestion?: string | undefined;
  readonly location: SourceLocation;
}

/** Every code, in the words of `policy lint --help`. */
export const CODES: Readonly<Record<string, string>> = {
  allows_every_command: 'an allow of a whole shell tool',
  any_program: 'an allow whose first word is a wildcard',
  any_subcommand: 'an allow with a wildcard for a sub-command, and words behind it',
  dropped: 'an allow that managedRulesOnly or workspaceTrusted drops',
  escaped_letter: 'a backslash in a path that is no separator',
  fewer_permissions: 'a built-in tool that is declared to do less than it can',
  grants_little: 'an allow that covers few calls, and not those that its words name',
  grants_nothing: 'an allow that covers no call',
  literal_braces: 'braces in a path, where they mean themselves',
  literal_brackets: '(a|b) in a path, where it means itself',
  machine_path: "a path with one slash, which is the project's, where the machine's may be meant",
  misplaced_colon: '":*" in the middle of a command',
  mode_without_effect: 'an agent whose mode only asks people, for want of what it goes by',
  never_affordable: "a call that costs more than a day's budget",
  never_asked: 'a tool whose calls may not be repeated, and nobody is asked',
  never_matches: 'a rule or a hook that speaks of no call',
  no_approvers: 'a question that nobody may answer',
  no_edits: 'calls that people can approve and not edit',
  no_word_boundary: 'an allow of npm* that is one of npmx, too',
  own_parent: 'an agent whose sessions may start one of the same agent',
  past_delegation: 'a delegation that is over',
  quorum_unavailable: 'a question that too few people may answer',
  repeated: 'a rule that stands there twice',
  same_name: 'two people of one name with two accounts',
  shadowed: 'an allow that deny or ask rules hide',
  shell_word: 'a rule on a word of the shell that is no program',
  star_in_label: 'a domain whose star is no sub-domain',
  stops_task_agent: 'an approval that a chat with the task agent cannot ask for',
  unknown_field: "a rule on a field that the tool's schema does not have",
  unknown_value: "a rule on a value that the tool's schema does not have",
  unlisted_tool: 'a rule or a hook on a tool that nobody listed',
  unused_ignore: 'an entry of lint.ignore that accepts nothing',
  usual_fields: 'a text for a tool of an MCP server, without the field that it is compared with',
};

/** `countersign.yaml:34:7`; empty for what no file holds. */
export const locationText = (location: SourceLocation | undefined): string =>
  [location?.file, location?.line, location?.column].filter((part) => part !== undefined).join(':');

/** `file:line:column: subject: problem; did you mean …?`. */
export function lineOf({ location, where, message, suggestion }: LintFinding): string {
  const hint = suggestion === undefined ? '' : `; did you mean ${suggestion}?`;
  return [locationText(location), where, `${message}${hint}`].filter(Boolean).join(': ');
}

/** Stable names, as those of `policy check --json`. */
export const fieldsOf = ({ level, code, where, message, suggestion, location }: LintFinding) => ({
  level,
  code,
  file: location.file ?? null,
  line: location.line ?? null,
  column: location.column ?? null,
  where,
  message,
  ...(suggestion === undefined ? {} : { suggestion }),
});

export const orNearestCode = (code: string): string =>
  Object.hasOwn(CODES, code) ? '' : `; there is no such code${orNearest(code, Object.keys(CODES))}`;
