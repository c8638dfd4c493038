/**
 * Selects the part of a type that JSON carries.
 *
 * Such arguments can be shown to people and compared by digest.
 */

/** Objects whose contents JSON leaves out or changes. */
export type Opaque =
  | ReadonlyMap<unknown, unknown>
  | ReadonlySet<unknown>
  | WeakMap<object, unknown>
  | WeakSet<object>
  | Date
  | RegExp
  | Error
  | Promise<unknown>
  | ArrayBuffer
  | ArrayBufferView
  | { toJSON(...args: never[]): unknown };

/**
 * `T` without what does not survive JSON: a Map, a Set, a Date, bytes, a bigint, a symbol or a function becomes `never`, so that passing one does
 * not compile. Methods of a class are left out. Interfaces, classes and type aliases are accepted alike.
 */
export type JsonOf<T> = unknown extends T
  ? T
  : T extends string | number | boolean | null | undefined
    ? T
    : T extends bigint | symbol | ((...args: never[]) => unknown) | Opaque
      ? never
      : T extends readonly unknown[]
        ? { [Index in keyof T]: JsonOf<T[Index]> }
        : { [Key in keyof T as T[Key] extends (...args: never[]) => unknown ? never : Key]: JsonOf<T[Key]> };
