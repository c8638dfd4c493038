/** Matches one pattern against one call, for classifiers, `policy test` and the bare function. */
import { InvalidSettingError } from '../../domain/errors.ts';
import { type Checks, checkSettings, fn, text } from '../../domain/settings.ts';
import type { CallContext } from '../call/call-context.ts';
import { needsShell, prepareCall } from '../call/prepared-call.ts';
import { workingFolders } from '../call/working-folders.ts';
import { coverage } from '../matching/cover.ts';
import { firingRules } from '../matching/match.ts';
import { tools } from '../model/entry-checks.ts';
import { createToolRegistry, type ToolRegistry } from '../model/tools.ts';
import type { RuleEffect, RuleMatcher, ToolEntry } from '../model/types.ts';
import { ProtectedPathChecker } from '../protected/protected-paths.ts';
import { compileRules } from '../rules/compile.ts';
import { loadShellParser } from '../shell/parser.ts';
import type { ShellParser } from '../shell/syntax/shell-parser.ts';
import { minimumVerdictOf } from '../stages/minimum-verdict.ts';

/** How patterns are read: the tools that they name, and the folders that their paths start from. */
export interface PatternMatcherOptions {
  /** The tools with the permissions that they need, besides the built-in ones. */
  readonly tools?: readonly ToolEntry[] | undefined;
  readonly cwd?: string | undefined;
  readonly projectRoot?: string | undefined;
  readonly home?: string | undefined;
  /** @internal Loads the parser when a shell tool is met first. */
  readonly shell?: (() => Promise<ShellParser>) | undefined;
}

const NOTHING_PROTECTED = new ProtectedPathChecker().disabled();

/** Judges calls by patterns of tool and argument. */
export class PatternMatcher {
  readonly #options: PatternMatcherOptions;
  readonly #tools: ToolRegistry;

  constructor(options: PatternMatcherOptions = {}) {
    checkSettings(options, MATCHER_CHECKS);
    this.#options = options;
    this.#tools = createToolRegistry(options.tools);
  }

  #call(effect: RuleEffect, pattern: string, toolName: string, input: unknown, matcher?: RuleMatcher): CallContext {
    const { policy } = compileRules([{ effect, pattern, source: 'cli', matcher }], { tools: this.#tools });
    return {
      toolName,
      input,
      mode: 'default',
      ...workingFolders(this.#options),
      tools: this.#tools,
      policy,
      protected: NOTHING_PROTECTED,
    };
  }

  async #withShell(call: CallContext): Promise<CallContext> {
    const lookup = this.#tools.lookup(call.toolName);
    if (!needsShell(call, lookup)) return call;
    const shell = await (this.#options.shell ?? loadShellParser)();
    // Without a parser no deny pattern of a command would fire.
    if (!shell) throw new InvalidSettingError('shell', 'loads no parser');
    return { ...call, shell };
  }

  /** Would a deny rule with this pattern fire? A pattern that cannot be read fires. */
  async fires(pattern: string, toolName: string, input: unknown, matcher?: RuleMatcher): Promise<boolean> {
    const call = await this.#withShell(this.#call('deny', pattern, toolName, input, matcher));
    const lookup = this.#tools.lookup(toolName);
    if (call.policy.refused !== undefined) return true;
    if (lookup.kind === 'refused') return false;
    return firingRules('deny', prepareCall(call, lookup), 0).length > 0;
  }

  /** Would an allow rule with this pattern, alone, allow the call? */
  async allows(pattern: string, toolName: string, input: unknown): Promise<boolean> {
    const call = await this.#withShell(this.#call('allow', pattern, toolName, input));
    const lookup = this.#tools.lookup(toolName);
    if (call.policy.refused !== undefined || lookup.kind === 'refused') return false;
    const prepared = prepareCall(call, lookup);
    return minimumVerdictOf(prepared, 0) === undefined && coverage(prepared, 0).kind === 'covered';
  }
}

/** @internal The check of each setting. */
export const MATCHER_CHECKS: Checks<PatternMatcherOptions> = {
  tools,
  cwd: text,
  projectRoot: text,
  home: text,
  shell: fn,
};
