/** Remembers the value that was made for a list of names, up to a number of lists. */

interface NameNode<Value> {
  value?: Value;
  next?: Map<string, NameNode<Value>>;
}

export class ByNames<Value> {
  readonly #max: number;
  #size = 0;
  #root: NameNode<Value> = {};

  constructor(max: number) {
    this.#max = max;
  }

  /** Two lists that differ never share a value: names are compared one by one, and never joined. */
  get(names: readonly string[], make: (names: readonly string[]) => Value): Value {
    let node: NameNode<Value> | undefined = this.#root;
    for (const name of names) {
      node = node.next?.get(name);
      if (!node) break;
    }
    return node?.value ?? this.#keep(names, make(names));
  }

  #keep(names: readonly string[], value: Value): Value {
    if (this.#size >= this.#max) {
      // Making the values again costs less than to know which one is needed least.
      this.#root = {};
      this.#size = 0;
    }
    this.#size++;
    let node = this.#root;
    for (const name of names) {
      node.next ??= new Map();
      const next = node.next.get(name) ?? {};
      node.next.set(name, next);
      node = next;
    }
    node.value = value;
    return value;
  }
}
