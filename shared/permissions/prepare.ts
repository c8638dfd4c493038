/** Reads a call once for all stages: its tool, its paths and, for a shell tool, the analysis of its command. */
import { type CollectedPaths, collectPaths } from './paths/collect.ts';
import { type JudgedPath, judgePath, type PathContext } from './paths/normalise.ts';
import { analyseCommand } from './shell/analyse.ts';
import type { PathWord, ShellAnalysis } from './shell/command.ts';
import { isShellTool, type ToolLookup } from './tools.ts';
import type { CallContext, ToolEntry } from './types.ts';
import { type WebAddress, webAddress } from './web-address.ts';

export interface CallPath {
  readonly path: JudgedPath;
  readonly glob?: PathWord['glob'];
  readonly context: PathContext;
  readonly access: PathWord['access'];
  /** Named by the tool's own path arguments. */
  readonly argument: boolean;
  readonly key: string;
}

export interface PreparedCall {
  readonly call: CallContext;
  readonly entry: ToolEntry;
  readonly listed: boolean;
  readonly context: PathContext;
  readonly input: Readonly<Record<string, unknown>>;
  readonly shell: ShellAnalysis | undefined;
  readonly paths: readonly CallPath[];
  /** What its `url` names, if it has one. */
  readonly address: WebAddress | undefined;
  readonly tooDeep: boolean;
}

function shellText(call: CallContext, entry: ToolEntry): string | undefined {
  if (!isShellTool(entry) || typeof call.input !== 'object' || call.input === null) return undefined;
  const command = Object.getOwnPropertyDescriptor(call.input, 'command')?.value as unknown;
  return typeof command === 'string' ? command : undefined;
}

/** Whether the call needs the shell parser. */
export function needsShell(call: CallContext, lookup: ToolLookup): boolean {
  return lookup.kind !== 'refused' && shellText(call, lookup.entry) !== undefined && call.shell === undefined;
}

export function prepareCall(call: CallContext, lookup: Exclude<ToolLookup, { kind: 'refused' }>): PreparedCall {
  const { entry } = lookup;
  const context: PathContext = { cwd: call.cwd, projectRoot: call.projectRoot, home: call.home, fs: call.fs };
  const command = shellText(call, entry);
  const shell =
    command !== undefined && call.shell !== undefined ? analyseCommand(command, call.shell, context) : undefined;
  const collected: CollectedPaths = collectPaths(call.toolName, call.input, {
    context,
    commandAnalysed: shell !== undefined,
  });
  const access = entry.permissions.includes('Write') ? 'write' : 'read';
  const paths: CallPath[] = collected.uses.map((use) => ({
    path: judgePath(use.path, context),
    glob: use.glob,
    context,
    access,
    argument: use.argument,
    key: use.key,
  }));
  for (const word of shell?.paths ?? []) {
    const at = word.dir === context.cwd ? context : { ...context, cwd: word.dir };
    paths.push({
      path: judgePath(word.path, at),
      glob: word.glob,
      context: at,
      access: word.access,
      argument: false,
      key: 'command',
    });
  }
  const input = typeof call.input === 'object' && call.input !== null ? (call.input as Record<string, unknown>) : {};
  const url = Object.hasOwn(input, 'url') ? input['url'] : undefined;
  return {
    call,
    entry,
    listed: lookup.kind === 'listed',
    context,
    input,
    shell,
    paths,
    address: typeof url === 'string' ? webAddress(url) : undefined,
    tooDeep: collected.tooDeep,
  };
}
