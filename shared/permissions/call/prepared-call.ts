/** Reads a call once for all stages: its tool, its paths and the analysis of its command. */
import { ownValue } from '../../domain/own.ts';
import { isShellTool, type ToolLookup } from '../model/tools.ts';
import type { ToolEntry } from '../model/types.ts';
import { type CollectedPaths, collectPaths, type PathUse } from '../paths/collect.ts';
import { fixedSegments, type NormalisedPath, normalisePath, type PathContext } from '../paths/normalise.ts';
import type { PathWord, ShellAnalysis } from '../shell/syntax/command.ts';
import { type WebAddress, webAddress } from '../text/web-address.ts';
import type { CallContext } from './call-context.ts';

export interface CallPath {
  readonly path: NormalisedPath;
  readonly glob?: PathWord['glob'];
  readonly context: PathContext;
  readonly access: PathWord['access'];
  /** Named by the tool's own path arguments. */
  readonly argument: boolean;
  readonly key: string;
  /** Present: not named, but the folder that the call runs in. */
  readonly isFolder?: true | undefined;
}

export interface PreparedCall {
  readonly call: CallContext;
  readonly entry: ToolEntry;
  readonly listed: boolean;
  readonly context: PathContext;
  readonly input: Readonly<Record<string, unknown>>;
  readonly shell: ShellAnalysis | undefined;
  /** Everything that the call names, and its folder. */
  readonly paths: readonly CallPath[];
  /** Where the call runs, if that is not the project root. */
  readonly folder: CallPath | undefined;
  /** The address in the call's `url`, if it has one. */
  readonly address: WebAddress | undefined;
  readonly tooDeep: boolean;
  /** An address of another machine stands where a path may. */
  readonly namesElsewhere: boolean;
  /** A path of the call in a folder; several stages look at the same words. */
  normalised(path: string, cwd: string): NormalisedPath;
}

/** Normalises each path once in each folder. */
function normaliseOnce(
  context: PathContext,
): (path: string, cwd: string) => { path: NormalisedPath; context: PathContext } {
  const folders = new Map<string, { readonly context: PathContext; readonly paths: Map<string, NormalisedPath> }>();
  return (path, cwd) => {
    let folder = folders.get(cwd);
    if (folder === undefined) {
      folder = { context: cwd === context.cwd ? context : { ...context, cwd }, paths: new Map() };
      folders.set(cwd, folder);
    }
    let normalised = folder.paths.get(path);
    if (normalised === undefined) {
      normalised = normalisePath(path, folder.context);
      folder.paths.set(path, normalised);
    }
    return { path: normalised, context: folder.context };
  };
}

function shellText(call: CallContext, entry: ToolEntry): string | undefined {
  if (!isShellTool(entry) || typeof call.input !== 'object' || call.input === null) return undefined;
  const command = ownValue(call.input as Record<string, unknown>, 'command');
  return typeof command === 'string' ? command : undefined;
}

/** Whether the call needs the shell parser. */
export function needsShell(call: CallContext, lookup: ToolLookup): boolean {
  return lookup.kind !== 'refused' && shellText(call, lookup.entry) !== undefined && call.shell === undefined;
}

/**
 * The folder of the call. An agent chooses it freely, so that it is a path of the call like those in its input. The project root is
 * the policy file's choice and needs no look.
 */
function folderOf(context: PathContext): CallPath | undefined {
  const { cwd, projectRoot } = context;
  if (cwd === projectRoot || fixedSegments(cwd).join('/') === fixedSegments(projectRoot).join('/')) return undefined;
  // Folders of a view of the file system are followed from the root, as the text of the folder says.
  const path = normalisePath(cwd, context);
  return { path, context, access: 'read', argument: false, key: 'cwd', isFolder: true };
}

/** The pattern of a search stands in the search's own folder, and some searches read it from the folder of the call. */
function contextsOf({ key }: PathUse, call: CallContext, context: PathContext): readonly PathContext[] {
  const isPattern = (call.toolName === 'Glob' && key === 'pattern') || (call.toolName === 'Grep' && key === 'glob');
  const below = isPattern ? ownValue(call.input as Record<string, unknown>, 'path') : undefined;
  if (typeof below !== 'string') return [context];
  const [segments] = normalisePath(below, context).exact;
  return segments === undefined ? [context] : [{ ...context, cwd: `/${segments.join('/')}` }, context];
}

export function prepareCall(call: CallContext, lookup: Exclude<ToolLookup, { kind: 'refused' }>): PreparedCall {
  const { entry } = lookup;
  const { cwd, projectRoot, hasProjectRoot, home, fs } = call;
  const context: PathContext = { cwd, projectRoot, hasProjectRoot, home, fs };
  const folder = folderOf(context);
  const command = shellText(call, entry);
  const shell =
    command !== undefined && call.shell !== undefined
      ? call.shell.analyse(command, { ...context, dirAllowed: folder === undefined || folder.path.insideRoot })
      : undefined;
  const collected: CollectedPaths = collectPaths(call.toolName, call.input, {
    context,
    // In PowerShell a backslash is part of a path.
    commandAnalysed: shell !== undefined && !(command?.includes('\\') && /^(?:powershell|pwsh)$/i.test(call.toolName)),
  });
  const access = entry.permissions.includes('Write') ? 'write' : 'read';
  const paths: CallPath[] = collected.uses.flatMap((use) =>
    contextsOf(use, call, context).map((at, index) => ({
      path: normalisePath(use.path, at),
      glob: use.glob,
      context: at,
      access,
      argument: use.argument && index === 0,
      key: use.key,
    })),
  );
  const normalised = normaliseOnce(context);
  for (const word of shell?.paths ?? []) {
    paths.push({
      ...normalised(word.path, word.dir),
      glob: word.glob,
      access: word.access,
      argument: false,
      key: 'command',
    });
  }
  if (folder !== undefined) paths.push(folder);
  const input = typeof call.input === 'object' && call.input !== null ? (call.input as Record<string, unknown>) : {};
  const url = ownValue(input, 'url');
  return {
    call,
    entry,
    listed: lookup.kind === 'listed',
    context,
    input,
    shell,
    paths,
    folder,
    address: typeof url === 'string' ? webAddress(url) : undefined,
    tooDeep: collected.tooDeep,
    namesElsewhere: collected.namesElsewhere,
    normalised: (path, cwd) => normalised(path, cwd).path,
  };
}
