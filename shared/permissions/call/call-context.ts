/** Declares the facts of one call that stages judge by, besides those of its session. */
import type { StageSettings } from '../model/stages.ts';
import type { ToolRegistry } from '../model/tools.ts';
import type { FileSystemView, Mode, PauseState } from '../model/types.ts';
import type { ProtectedPathChecker } from '../protected/protected-paths.ts';
import type { CompiledPolicy } from '../rules/compile.ts';
import type { ShellParser } from '../shell/syntax/shell-parser.ts';

/** A call with all that it is judged by. */
export interface CallContext extends Partial<StageSettings> {
  readonly toolName: string;
  readonly input: unknown;
  /** Compared exactly; anything else than a `Mode` is `error`. */
  readonly mode: Mode | string;
  readonly cwd: string;
  readonly projectRoot: string;
  /** Present: nobody stated a project root, and nothing lies inside it. */
  readonly hasProjectRoot?: false | undefined;
  readonly home: string;
  readonly tools: ToolRegistry;
  readonly policy: CompiledPolicy;
  /** Session rules, compiled apart so that the deployment's policy is compiled once. */
  readonly sessionRules?: CompiledPolicy | undefined;
  /** Absent: bypass is off. */
  readonly bypass?: { readonly enabled: boolean; readonly honoursRules: boolean } | undefined;
  readonly protected: ProtectedPathChecker;
  readonly fs?: FileSystemView | undefined;
  /** The session turns every ask into a denial. */
  readonly unattended?: boolean | undefined;
  readonly pause?: PauseState | undefined;
  /** False if the command holds a secret: a printed one would be recorded with it, and no allow rule covers the call. */
  readonly mayPrint?: boolean | undefined;
  /** Loaded by `loadShellParser`; absent: a shell tool answers `needs: shell-parser`. */
  readonly shell?: ShellParser | undefined;
}
