/** Makes the classes of commands, with the SDK's types of their inputs and outputs. */

export interface Command<Input extends object, Output> {
  /** Such as `GetItem`. */
  readonly operation: string;
  readonly input: Input;
  /** Absent at run time; binds the type of the answer to the command. */
  readonly output?: Output;
}

/** The class of an operation's commands. */
export const commandOf = <Input extends object, Output>(operation: string) =>
  class implements Command<Input, Output> {
    declare readonly output?: Output;
    readonly operation = operation;
    readonly input: Input;

    constructor(input: Input) {
      this.input = input;
    }
  };
