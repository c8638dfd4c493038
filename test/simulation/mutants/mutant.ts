/** Describes a defect that is put back: a change of one text of one source. */
export interface Mutant {
  readonly name: string;
  readonly file: string;
  readonly find: string;
  readonly put: string;
  /** Changes of the same source that make the defect only together with the first. */
  readonly also?: readonly { readonly find: string; readonly put: string }[];
}

/** Puts a mutant into its source. Throws an error that names the file if a text of it does not stand there once. */
export function mutated({ file, find, put, also = [] }: Mutant, source: string): string {
  return [{ find, put }, ...also].reduce((text, change) => {
    if (text.split(change.find).length !== 2)
      throw new Error(`${file}: the text of the mutant does not stand there once`);
    return text.replace(change.find, () => change.put);
  }, source);
}

export const memory = (file: string) => `shared/adapters/memory/${file}.ts`;
export const approvals = (file: string) => `shared/use-cases/approvals/${file}.ts`;
export const execution = (file: string) => `shared/use-cases/execution/${file}.ts`;
export const intake = (file: string) => `shared/use-cases/intake/${file}.ts`;
export const kernel = (file: string) => `shared/use-cases/kernel/${file}.ts`;
export const resolvers = (file: string) => `shared/use-cases/resolvers/${file}.ts`;
export const domain = (file: string) => `shared/domain/${file}.ts`;
