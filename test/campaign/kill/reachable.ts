/** Finds the awaits that a function can come to: it bundles code that it never calls. */
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { API, type Checker, type Symbol as Named, SymbolFlags, type Type, TypeFlags } from 'typescript/unstable/sync';
import { ROOT } from '../../e2e/crash/bundle.ts';
import { type Code, codeOf, type Member, type NamedAt } from './code.ts';
import { pointId } from './points.ts';

/** In bundles these are called in place of a package, by whoever is typed with the package's own types. */
const STANDS_IN = /^shared\/adapters\/aws\/signed\//;

/** Code in its source. */
interface Part {
  readonly file: string;
  readonly code: Code;
}
interface Offered {
  readonly file: string;
  readonly member: Member;
}

/**
 * A function runs what its modules run when they load, and its handler. From there, code is called by its name, which the compiler resolves, or as
 * a member: whoever reads `x.name` may call each member of that name whose type fits the one that is read. A member that no source of ours reads
 * by its name is called by a package, or by Node, once its object may be there.
 */
export class Reachable {
  readonly #root: string;
  readonly #api: API;
  readonly #checker: Checker;
  readonly #texts = new Map<string, string>();
  readonly #sources = new Map<string, Code>();
  readonly #namesRead = new Set<string>();
  readonly #declared = new Map<string, readonly string[]>();
  readonly #types = new Map<string, Type | undefined>();
  readonly #fits = new Map<string, boolean>();

  /** `sources`: of all functions. */
  constructor(sources: Iterable<string>, root = ROOT) {
    this.#root = root;
    this.#api = new API({ cwd: root });
    const [project] = this.#api.updateSnapshot({ openProjects: [join(root, 'tsconfig.json')] }).getProjects();
    if (!project) throw new Error('tsconfig.json is no project');
    this.#checker = project.checker;
    for (const file of sources) {
      const text = readFileSync(join(root, file), 'utf8');
      const code = codeOf(text);
      this.#texts.set(file, text);
      this.#sources.set(file, code);
      this.#noteReads(file, code);
    }
  }

  /** The points that the function may come by; `bundled`: its sources, `entry` among them. */
  pointsOf(entry: string, bundled: readonly string[]): ReadonlySet<string> {
    const walk = new Walk(this);
    for (const file of bundled) {
      const code = this.#sources.get(file);
      if (!code) continue;
      walk.begin({ file, code });
      if (file === entry || STANDS_IN.test(file)) for (const named of code.named) walk.begin({ file, code: named });
    }
    const found = walk.end();
    return new Set(found.map(({ file, at }) => pointId(this.#texts.get(file) ?? '', file, at)));
  }

  /** Code that a name stands for; none where it is of a package, or no code. */
  declarations(file: string, { name, at }: NamedAt, isShort = false): readonly string[] {
    const key = `${file}:${at}`;
    const known = this.#declared.get(key);
    if (known) return known;
    const path = join(this.#root, file);
    const named = isShort
      ? this.#checker.resolveName(name, SymbolFlags.Value, { document: path, position: at })
      : this.#checker.getSymbolAtPosition(path, at);
    const found = [...this.#endsOf(named), ...this.#endsOf(this.typeAt(file, at)?.getSymbol())];
    this.#declared.set(key, found);
    return found;
  }

  #endsOf(named: Named | undefined): string[] {
    const meant = named && named.flags & SymbolFlags.Alias ? this.#checker.getAliasedSymbol(named) : named;
    return (meant?.declarations ?? []).flatMap((declaration) => {
      const file = relative(this.#root, declaration.path);
      return this.#sources.has(file) ? [`${file}:${declaration.resolve()?.end}`] : [];
    });
  }

  typeAt(file: string, at: number): Type | undefined {
    const key = `${file}:${at}`;
    if (!this.#types.has(key)) this.#types.set(key, this.#checker.getTypeAtPosition(join(this.#root, file), at));
    return this.#types.get(key);
  }

  isRead = (name: string): boolean => this.#namesRead.has(name);

  /** Whether whoever reads a member of this type may get this one. */
  isFit({ file, member }: Offered, wanted: Type | undefined): boolean {
    const type = this.typeAt(file, member.at);
    if (!type || !wanted || isUnknown(type) || isUnknown(wanted)) return true;
    const key = `${type.id} ${wanted.id}`;
    const isFit = this.#fits.get(key) ?? this.#checker.isTypeAssignableTo(type, wanted);
    this.#fits.set(key, isFit);
    return isFit;
  }

  /** Members of an object that a key may name, each with its type; without a key, all of them. */
  membersAt(file: string, at: number, key?: number): { readonly name: string; readonly type: Type | undefined }[] {
    const named = key === undefined ? undefined : this.typeAt(file, key);
    if (named && (named.flags & TypeFlags.NumberLike) !== 0) return [];
    const type = this.typeAt(file, at);
    if (!type || isUnknown(type) || this.#checker.isArrayLikeType(type)) return [];
    const keys = named && keysOf(named);
    return this.#checker
      .getPropertiesOfType(type)
      .filter(({ name }) => !keys || keys.has(name))
      .map((one) => ({ name: one.name, type: this.#checker.getTypeOfSymbol(one) }));
  }

  close(): void {
    this.#api.close();
  }

  #noteReads(file: string, code: Code): void {
    for (const place of code.reads) this.#namesRead.add(nameIn(file, place));
    for (const inner of code.named) this.#noteReads(file, inner);
    for (const { gives } of code.members) if (!('at' in gives)) this.#noteReads(file, gives);
  }
}

/** Nobody reads a private member elsewhere; the compiler has no type at its name. */
const nameIn = (file: string, { name }: NamedAt): string => (name.startsWith('#') ? `${file}${name}` : name);

/** Names that a key of this type has, if it has no others. */
function keysOf(type: Type): ReadonlySet<string> | undefined {
  const each = type.isUnionType() ? type.getTypes() : [type];
  const names = each.flatMap((one) => (one.isStringLiteralType() ? [one.value] : []));
  return names.length === each.length ? new Set(names) : undefined;
}

const isUnknown = ({ flags }: Type): boolean => (flags & (TypeFlags.Any | TypeFlags.Unknown)) !== 0;

/** One function's way through the code. */
class Walk {
  readonly #code: Reachable;
  readonly #awaits: { readonly file: string; readonly at: number }[] = [];
  readonly #line: Part[] = [];
  readonly #declared = new Map<string, Part>();
  readonly #called = new Set<string>();
  readonly #offered = new Map<string, Offered[]>();
  readonly #reads = new Map<string, (Type | undefined)[]>();
  readonly #seen = new Set<Code>();

  constructor(code: Reachable) {
    this.#code = code;
  }

  begin(part: Part): void {
    if (this.#seen.has(part.code)) return;
    this.#seen.add(part.code);
    this.#line.push(part);
  }

  end() {
    for (let part = this.#line.pop(); part; part = this.#line.pop()) this.#pass(part);
    return this.#awaits;
  }

  #pass({ file, code }: Part): void {
    for (const at of code.awaits) this.#awaits.push({ file, at });
    for (const named of code.named) {
      const key = `${file}:${named.end}`;
      this.#declared.set(key, { file, code: named });
      if (this.#called.has(key)) this.begin({ file, code: named });
    }
    for (const name of code.names) this.#call(this.#code.declarations(file, name));
    for (const place of code.reads) {
      this.#call(this.#code.declarations(file, place));
      this.#read(nameIn(file, place), this.#code.typeAt(file, place.at));
    }
    for (const { at, key } of code.anyOf)
      for (const { name, type } of this.#code.membersAt(file, at, key)) this.#read(name, type);
    const { base } = code;
    const isOfPackage = STANDS_IN.test(file) || (base !== undefined && !this.#code.declarations(file, base).length);
    for (const member of code.members) this.#offer({ file, member }, isOfPackage);
  }

  #call(keys: readonly string[]): void {
    for (const key of keys) {
      this.#called.add(key);
      const part = this.#declared.get(key);
      if (part) this.begin(part);
    }
  }

  #read(name: string, type: Type | undefined): void {
    const types = this.#reads.get(name) ?? [];
    if (types.some((known) => known?.id === type?.id)) return;
    this.#reads.set(name, [...types, type]);
    for (const one of this.#offered.get(name) ?? []) if (this.#code.isFit(one, type)) this.#give(one);
  }

  #offer(one: Offered, isOfPackage: boolean): void {
    const name = nameIn(one.file, one.member);
    this.#offered.set(name, [...(this.#offered.get(name) ?? []), one]);
    const types = this.#reads.get(name) ?? [];
    if (isOfPackage || !this.#code.isRead(name) || types.some((type) => this.#code.isFit(one, type))) this.#give(one);
  }

  #give({ file, member: { gives, isShort } }: Offered): void {
    if ('at' in gives) this.#call(this.#code.declarations(file, gives, isShort));
    else this.begin({ file, code: gives });
  }
}
