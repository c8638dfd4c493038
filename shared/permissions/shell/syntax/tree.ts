/** Declares the tree of a shell text, as plain objects. */
export interface ShellNode {
  readonly type: string;
  readonly named: boolean;
  readonly start: number;
  readonly end: number;
  readonly children: readonly ShellNode[];
}

export interface ShellTree {
  readonly text: string;
  readonly root: ShellNode;
  /** The parser met something it could not read, or put in something that was not there. */
  readonly broken: boolean;
  /** Made by `plainTree`, which reads only what no reader can mistake. */
  readonly plain?: true;
}
