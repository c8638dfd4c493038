/** What is known of the variables of a shell text: their values, and which hold what a command printed. */
import type { Field } from './fields.ts';
import type { Atom } from './word.ts';

/** What a command printed, and may be any text. */
export function isOutput(atom: Atom): boolean {
  return atom.kind === 'opaque' && atom.place !== true;
}

export class ShellVariables {
  /** `undefined`: set by the text, to something unknown. */
  readonly values = new Map<string, string | undefined>();
  /** Variables that hold output, and whether that is a place, revision or number. */
  readonly #output = new Map<string, { readonly place: boolean }>();

  constructor(known: Readonly<Record<string, string>>) {
    for (const [name, value] of Object.entries(known)) this.values.set(name, value);
  }

  /** `made`: the fields that the value comes from; any command's output among them makes it output. */
  set(name: string, value: string | undefined, made: readonly (Field | undefined)[] = []): void {
    this.values.set(name, value);
    const atoms = made.flatMap((field) => field?.atoms ?? []);
    if (atoms.some(isOutput)) this.#output.set(name, { place: false });
    else if (atoms.length === 1 && atoms[0]?.kind === 'opaque') this.#output.set(name, { place: true });
    else this.#output.delete(name);
  }

  /** As `read` sets it. */
  setToInput(name: string): void {
    this.values.set(name, undefined);
    this.#output.set(name, { place: false });
  }

  /** A variable that holds what a command printed is what it printed. */
  resolved(atoms: readonly Atom[]): readonly Atom[] {
    if (this.#output.size === 0) return atoms;
    return atoms.map((atom) => {
      const output = atom.kind === 'var' ? this.#output.get(atom.name) : undefined;
      return output === undefined ? atom : { kind: 'opaque', quoted: atom.quoted, ...output };
    });
  }

  /** Puts back what the variable is now, as at the end of `X=1 cmd`. */
  keep(name: string): () => void {
    const known = this.values.has(name);
    const value = this.values.get(name);
    const output = this.#output.get(name);
    return () => {
      if (known) this.values.set(name, value);
      else this.values.delete(name);
      if (output !== undefined) this.#output.set(name, output);
      else this.#output.delete(name);
    };
  }
}
