/** Describes a defect that is put back: a change of one text of one source. */
export interface Mutant {
  readonly name: string;
  readonly file: string;
  readonly find: string;
  readonly put: string;
  /** Changes of the same source that make the defect only together with the first. */
  readonly also?: readonly { readonly find: string; readonly put: string }[];
}

export const memory = (file: string) => `shared/adapters/memory/${file}.ts`;
export const approvals = (file: string) => `shared/use-cases/approvals/${file}.ts`;
export const execution = (file: string) => `shared/use-cases/execution/${file}.ts`;
export const intake = (file: string) => `shared/use-cases/intake/${file}.ts`;
export const kernel = (file: string) => `shared/use-cases/kernel/${file}.ts`;
export const resolvers = (file: string) => `shared/use-cases/resolvers/${file}.ts`;
export const domain = (file: string) => `shared/domain/${file}.ts`;
